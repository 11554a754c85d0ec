// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/gauges"
)

var (
	eventsInPhase = gauges.New(&metrics.GaugeOpts{
		Namespace: "maintenance", Subsystem: "event", Name: "scheduled",
		Help: "ScheduledEvents, by source, code and phase. Sources and codes that the server does not know are other. " +
			"Only the leader has it.", StabilityLevel: metrics.ALPHA,
	}, "source", "code", "phase")

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
	for _, result := range []v1beta1.ReplacementStep{v1beta1.StepReplaced, v1beta1.StepGivenUp} {
		replacements.WithLabelValues(string(result)) // at 0, so that the first one alerts
	}
})

// gauge counts an event anew that has changed.
func gauge(before, after *v1beta1.ScheduledEvent) {
	if before != nil {
		addEvent(before, -1)
	}
	if after != nil {
		addEvent(after, 1)
	}
}

func addEvent(event *v1beta1.ScheduledEvent, count float64) {
	source := knownOrOther(event.Spec.Source, append(v1beta1.CollectedSources(), v1beta1.ManualSource))
	eventsInPhase.Add(count, source, knownOrOther(event.Spec.Code, v1beta1.KnownCodes()), string(event.Status.Phase))
}

// knownOrOther bounds a label: users write what they like into a source and a code.
func knownOrOther(value string, known []string) string {
	if value == "" || slices.Contains(known, value) {
		return value
	}
	return "other"
}

// resetGauges has the gauges say nothing: another process may say it next.
func resetGauges() { eventsInPhase.Replace(gauges.Values{}) }
