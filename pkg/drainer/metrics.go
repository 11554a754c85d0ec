// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"sync"
	"time"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	metricsNamespace = "maintenance"
	metricsSubsystem = "drainer"

	// outcomeDeleted counts the pods that were deleted past a deadline, not evicted.
	outcomeDeleted = "deleted"
)

var (
	evictionsTotal = metrics.NewCounterVec(&metrics.CounterOpts{
		Namespace: metricsNamespace, Subsystem: metricsSubsystem, Name: "evictions_total",
		Help:           "Eviction requests by what became of them.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"outcome"})

	nodesDraining = metrics.NewGauge(&metrics.GaugeOpts{
		Namespace: metricsNamespace, Subsystem: metricsSubsystem, Name: "nodes_draining",
		Help:           "Nodes with pods that are still to leave.",
		StabilityLevel: metrics.ALPHA,
	})

	blockedPods = metrics.NewGaugeVec(&metrics.GaugeOpts{
		Namespace: metricsNamespace, Subsystem: metricsSubsystem, Name: "blocked_pods",
		Help:           "Pods that something keeps from leaving their node, by what it is.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"reason"})

	drainDuration = metrics.NewHistogram(&metrics.HistogramOpts{
		Namespace: metricsNamespace, Subsystem: metricsSubsystem, Name: "drain_duration_seconds",
		Help:           "Time from the start of a drain to when the last of its pods had left.",
		Buckets:        metrics.ExponentialBuckets(1, 2, 15),
		StabilityLevel: metrics.ALPHA,
	})

	nodesLeftBehind = metrics.NewGauge(&metrics.GaugeOpts{
		Namespace: metricsNamespace, Subsystem: metricsSubsystem, Name: "nodes_left_behind",
		Help:           "Nodes that were cordoned for another server's store and that no hold of ours names.",
		StabilityLevel: metrics.ALPHA,
	})
)

var registerMetrics = sync.OnceFunc(func() {
	legacyregistry.MustRegister(evictionsTotal, nodesDraining, blockedPods, drainDuration, nodesLeftBehind)
})

// countEviction counts a request that was made.
func countEviction(e eviction, v verdict) {
	switch {
	case v.outcome == outcomeNotPosted:
	case e.force && v.outcome == outcomeEvicted:
		evictionsTotal.WithLabelValues(outcomeDeleted).Inc()
	default:
		evictionsTotal.WithLabelValues(string(v.outcome)).Inc()
	}
}

func observeDrain(took time.Duration) { drainDuration.Observe(took.Seconds()) }

// nodeGauges are one node's share of the gauges.
type nodeGauges struct {
	draining   bool
	leftBehind bool
	blocked    map[v1beta1.BlockerReason]int
}

// replace takes the node's old share out of the gauges and puts the new one in.
func (g *nodeGauges) replace(next nodeGauges) {
	nodesDraining.Add(oneIf(next.draining) - oneIf(g.draining))
	nodesLeftBehind.Add(oneIf(next.leftBehind) - oneIf(g.leftBehind))
	for reason, count := range g.blocked {
		blockedPods.WithLabelValues(string(reason)).Add(-float64(count))
	}
	for reason, count := range next.blocked {
		blockedPods.WithLabelValues(string(reason)).Add(float64(count))
	}
	*g = next
}

func oneIf(condition bool) float64 {
	if condition {
		return 1
	}
	return 0
}
