// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var (
	eventsInPhase = metrics.NewGaugeVec(&metrics.GaugeOpts{
		Namespace: "maintenance", Subsystem: "event", Name: "scheduled",
		Help: "ScheduledEvents, by source, code and phase. Only the leader has it.", StabilityLevel: metrics.ALPHA,
	}, []string{"source", "code", "phase"})

	replacements = metrics.NewCounterVec(&metrics.CounterOpts{
		Namespace: "maintenance", Subsystem: "event", Name: "replacements_total",
		Help: "Replacements of machines that have ended, by result: Replaced or GivenUp.", StabilityLevel: metrics.ALPHA,
	}, []string{"result"})

	lateStarts   = counter("late_starts_total", "Drains that have started too late to be done before their event.")
	statusWrites = counter("status_writes_total", "Writes of the status of a ScheduledEvent.")
	failedVisits = counter("errors_total", "ScheduledEvents that could not be handled, and were tried again.")
	panics       = counter("panics_total", "Panics that were caught. Each is a defect of this program.")
)

func counter(name, help string) *metrics.Counter {
	return metrics.NewCounter(&metrics.CounterOpts{
		Namespace: "maintenance", Subsystem: "event", Name: name, Help: help, StabilityLevel: metrics.ALPHA,
	})
}

var registerMetrics = sync.OnceFunc(func() {
	legacyregistry.MustRegister(eventsInPhase, replacements, lateStarts, statusWrites, failedVisits, panics)
})

// gauge counts an event anew that has changed.
func gauge(before, after *v1beta1.ScheduledEvent) {
	if before != nil {
		gaugeOf(before).Dec()
	}
	if after != nil {
		gaugeOf(after).Inc()
	}
}

func gaugeOf(event *v1beta1.ScheduledEvent) metrics.GaugeMetric {
	return eventsInPhase.WithLabelValues(event.Spec.Source, event.Spec.Code, string(event.Status.Phase))
}

// resetGauges has the gauges say nothing: another process may say it next.
func resetGauges() { eventsInPhase.Reset() }
