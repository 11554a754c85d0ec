// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

const (
	metricsNamespace = "maintenance"
	metricsSubsystem = "drainer"
)

var (
	plansTotal = metrics.NewCounter(&metrics.CounterOpts{
		Namespace: metricsNamespace, Subsystem: metricsSubsystem, Name: "plans_total",
		Help:           "Plans that were made for nodes under drain.",
		StabilityLevel: metrics.ALPHA,
	})

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
	legacyregistry.MustRegister(plansTotal, nodesDraining, blockedPods, drainDuration, nodesLeftBehind)
})

// observeDrain records how long the drain took if this status says for the first time that it is done.
func observeDrain(w holdstatus.StatusWritten) {
	if holdstatus.Drained(w.Next) && !holdstatus.Drained(w.Old) && w.Next.StartTime != nil && w.Next.DrainedTime != nil {
		drainDuration.Observe(w.Next.DrainedTime.Sub(w.Next.StartTime.Time).Seconds())
	}
}

// nodeGauges are one node's share of the gauges.
type nodeGauges struct {
	draining   bool
	leftBehind bool
	blocked    map[v1beta1.BlockerReason]int
}

// gauge takes the node's old share out of the gauges and puts the new one in.
func (r *reporter) gauge(node *nodeMemory, next nodeGauges) {
	old := node.gauges
	nodesDraining.Add(oneIf(next.draining) - oneIf(old.draining))
	nodesLeftBehind.Add(oneIf(next.leftBehind) - oneIf(old.leftBehind))
	for reason, count := range old.blocked {
		blockedPods.WithLabelValues(string(reason)).Add(-float64(count))
	}
	for reason, count := range next.blocked {
		blockedPods.WithLabelValues(string(reason)).Add(float64(count))
	}
	node.gauges = next
}

func oneIf(condition bool) float64 {
	if condition {
		return 1
	}
	return 0
}
