// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/gauges"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

var (
	nodesInState = gauges.New(&metrics.GaugeOpts{
		Namespace: "maintenance", Subsystem: "profile", Name: "nodes",
		Help: "Nodes that a profile is on, by state. Only the leader has it.", StabilityLevel: metrics.ALPHA,
	}, "profile", "state")

	lackingNodeProfiles = metrics.NewGauge(&metrics.GaugeOpts{
		Namespace: "maintenance", Subsystem: "profile", Name: "nodeprofiles_lacking",
		Help: "NodeProfiles that are not created, since there is no room for more. Only the leader has it.", StabilityLevel: metrics.ALPHA,
	})

	maxNodeProfiles = metrics.NewGauge(&metrics.GaugeOpts{
		Namespace: "maintenance", Subsystem: "profile", Name: "nodeprofiles_max",
		Help: "How many NodeProfiles there may be; 0: any number. Only the leader has it.", StabilityLevel: metrics.ALPHA,
	})

	profilesStopped = metrics.NewGauge(&metrics.GaugeOpts{
		Namespace: "maintenance", Subsystem: "profile", Name: "stopped_after_crash",
		Help: "Profiles that start nothing, since a process died while it evaluated something of them. Only the leader has it.", StabilityLevel: metrics.ALPHA,
	})

	transitions = gauges.NewCounter(&metrics.CounterOpts{
		Namespace: "maintenance", Subsystem: "profile", Name: "transitions_total",
		Help: "Transitions that have ended, by the state that they led to and how.", StabilityLevel: metrics.ALPHA,
	}, "profile", "next", "result")

	failedSteps = gauges.NewCounter(&metrics.CounterOpts{
		Namespace: "maintenance", Subsystem: "profile", Name: "trigger_failures_total",
		Help: "Calls of triggers that have failed, by kind.", StabilityLevel: metrics.ALPHA,
	}, "profile", "kind")

	stateDuration = metrics.NewHistogramVec(&metrics.HistogramOpts{
		Namespace: "maintenance", Subsystem: "profile", Name: "state_duration_seconds",
		Help: "How long a profile was in a state on a node, when it is left.", Buckets: metrics.ExponentialBuckets(1, 4, 12),
		StabilityLevel: metrics.ALPHA,
	}, []string{"profile", "state"})

	evaluations  = counter("evaluations_total", "Evaluations of the checks of a profile on a node.")
	statusWrites = counter("status_writes_total", "Writes of the status of a NodeProfile.")
	failedVisits = counter("errors_total", "NodeProfiles that could not be handled, and were tried again.")
	panics       = counter("panics_total", "Panics that were caught. Each is a defect of this program.")
	grants       = counter("grants_total", "Transitions that were granted in the ledger.")
)

func counter(name, help string) *metrics.Counter {
	return metrics.NewCounter(&metrics.CounterOpts{
		Namespace: "maintenance", Subsystem: "profile", Name: name, Help: help, StabilityLevel: metrics.ALPHA,
	})
}

var registerMetrics = sync.OnceFunc(func() {
	legacyregistry.MustRegister(nodesInState, lackingNodeProfiles, maxNodeProfiles, profilesStopped, transitions, failedSteps, stateDuration,
		evaluations, statusWrites, failedVisits, panics, grants)
})

// keepCounters has the counters of these profiles there, and drops those of others.
func keepCounters(profiles []*v1beta1.MaintenanceProfile) {
	var ends, fails [][]string
	for _, profile := range profiles {
		for _, next := range []v1beta1.ProfileState{v1beta1.ProfileOperational, v1beta1.ProfileMaintenanceRequired, v1beta1.ProfileInMaintenance} {
			for _, result := range []v1beta1.TransitionResult{v1beta1.TransitionDone, v1beta1.TransitionAborted} {
				ends = append(ends, []string{profile.Name, string(next), string(result)})
			}
		}
		for _, kind := range action.AllKinds {
			fails = append(fails, []string{profile.Name, string(kind)})
		}
	}
	transitions.Keep(ends...)
	failedSteps.Keep(fails...)
}

// resetGauges has the gauges say nothing: another process may say it next.
func resetGauges() {
	nodesInState.Replace(gauges.Values{})
	lackingNodeProfiles.Set(0)
	maxNodeProfiles.Set(0)
	profilesStopped.Set(0)
}
