// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

// deleted is the outcome of a pod that was deleted past a deadline, not evicted.
const deleted = "deleted"

var evictionsTotal = metrics.NewCounterVec(&metrics.CounterOpts{
	Namespace: "maintenance", Subsystem: "drainer", Name: "evictions_total",
	Help:           "Eviction requests by what became of them.",
	StabilityLevel: metrics.ALPHA,
}, []string{"outcome"})

var registerMetrics = sync.OnceFunc(func() {
	legacyregistry.MustRegister(evictionsTotal)
	for _, outcome := range []Outcome{Evicted, Gone, DisruptionBudget, AdmissionWebhook, Throttled, NamespaceTerminating, Failed, deleted} {
		evictionsTotal.WithLabelValues(string(outcome)) // there before its first event
	}
})

// countAnswer counts a request that was made.
func countAnswer(of Eviction, a Answer) {
	switch {
	case a.Outcome == NotPosted:
	case of.Force && a.Outcome == Evicted:
		evictionsTotal.WithLabelValues(deleted).Inc()
	default:
		evictionsTotal.WithLabelValues(string(a.Outcome)).Inc()
	}
}
