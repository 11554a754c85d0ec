// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"strings"
	"sync"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/gauges"
)

var (
	policyNodes   = policyGauge("nodes", "Nodes of a policy, by state: selected, in_maintenance, soaking, unavailable.", "state")
	policyWaiting = policyGauge("waiting", "Nodes that wait for a policy, by what they wait for.", "reason")
	policyOpen    = policyGauge("open", "Whether the schedule of a policy lets maintenance start.")
	policyStopped = policyGauge("stopped", "Whether failures have stopped a policy.")
	policyPaused  = policyGauge("paused_since_seconds", "Since when at the latest a policy is paused, as a Unix time. Only paused ones have it.")

	policyBypasses = gauges.NewCounter(&metrics.CounterOpts{
		Namespace: "maintenance", Subsystem: "policy", Name: "bypasses_total",
		Help:           "Maintenances that did not wait for a policy.",
		StabilityLevel: metrics.ALPHA,
	}, "policy")

	admissionWait = metrics.NewHistogram(&metrics.HistogramOpts{
		Namespace: "maintenance", Name: "admission_wait_seconds",
		Help:           "Time from when a maintenance was to start until it was admitted.",
		Buckets:        metrics.ExponentialBuckets(1, 4, 11),
		StabilityLevel: metrics.ALPHA,
	})
)

var (
	// lastDecision has no labels, but as a vector it can say nothing where nobody decides.
	lastDecision = metrics.NewGaugeVec(&metrics.GaugeOpts{
		Namespace: "maintenance", Subsystem: "admission", Name: "last_decision_timestamp_seconds",
		Help:           "When it was decided last which maintenance may start, as a Unix time. Only the leader has it. Decisions follow changes.",
		StabilityLevel: metrics.ALPHA,
	}, nil)

	failedDecisions = metrics.NewCounter(&metrics.CounterOpts{
		Namespace: "maintenance", Subsystem: "admission", Name: "failed_decisions_total",
		Help:           "Decisions that could not be made or written into the ledger, and were made again.",
		StabilityLevel: metrics.ALPHA,
	})
)

// gauges are those that only the leader has, of policies.
var policyGauges = []*gauges.Gauge{policyNodes, policyWaiting, policyOpen, policyStopped, policyPaused}

func policyGauge(name, help string, labels ...string) *gauges.Gauge {
	return gauges.New(&metrics.GaugeOpts{
		Namespace: "maintenance", Subsystem: "policy", Name: name, Help: help, StabilityLevel: metrics.ALPHA,
	}, append([]string{"policy"}, labels...)...)
}

var registerMetrics = sync.OnceFunc(func() {
	legacyregistry.MustRegister(policyNodes, policyWaiting, policyOpen, policyStopped, policyPaused,
		policyBypasses, admissionWait, lastDecision, failedDecisions)
})

// resetGauges has the gauges say nothing: another process may say it next.
func resetGauges() {
	for _, gauge := range policyGauges {
		gauge.Replace(gauges.Values{})
	}
}

// gauge has the gauges say what the outcome says.
func gauge(facts decision.Facts, outcome decision.Outcome) {
	var nodes, open, stopped, paused gauges.Values
	var bypasses [][]string
	for _, policy := range facts.Policies {
		bypasses = append(bypasses, []string{policy.Name})
		decided, found := outcome.Policies[policy.Name]
		if !found {
			continue
		}
		status := decided.Status
		for state, count := range map[string]int32{
			"selected": status.Selected, "in_maintenance": status.InMaintenance, "soaking": status.Soaking, "unavailable": status.Unavailable,
		} {
			nodes.Add(float64(count), policy.Name, state)
		}
		open.Add(oneIf(apimeta.IsStatusConditionTrue(status.Conditions, v1beta1.ConditionOpen)), policy.Name)
		stopped.Add(oneIf(apimeta.IsStatusConditionTrue(status.Conditions, v1beta1.ConditionStopped)), policy.Name)
		if policy.Spec.Paused {
			paused.Add(float64(pausedSince(policy).Unix()), policy.Name)
		}
	}
	policyBypasses.Keep(bypasses...)
	policyNodes.Replace(nodes)
	policyWaiting.Replace(waitingNodes(facts, outcome))
	policyOpen.Replace(open)
	policyStopped.Replace(stopped)
	policyPaused.Replace(paused)
}

// waitingNodes counts each node once for each policy and reason.
func waitingNodes(facts decision.Facts, outcome decision.Outcome) (values gauges.Values) {
	type waiting struct{ node, policy, reason string }
	counted := sets.New[waiting]()
	for _, hold := range facts.Holds {
		for _, wait := range outcome.Holds[hold.UID].Waits {
			now := waiting{node: hold.Spec.NodeName, policy: wait.Policy, reason: string(wait.Reason)}
			if now.policy != "" && !counted.Has(now) {
				counted.Insert(now)
				values.Add(1, now.policy, now.reason)
			}
		}
	}
	return values
}

// pausedSince is the time when the policy was written last by whom spec.paused belongs to.
func pausedSince(policy *v1beta1.MaintenancePolicy) metav1.Time {
	since := policy.CreationTimestamp
	for _, entry := range policy.ManagedFields {
		if entry.FieldsV1 != nil && entry.Time != nil && strings.Contains(entry.FieldsV1.GetRawString(), `"f:paused"`) {
			since = *entry.Time
		}
	}
	return since
}

// countBypass counts a bypass for each policy of the node.
func countBypass(ledger v1beta1.MaintenanceLedgerSpec, node string) {
	for _, entry := range ledger.Entries {
		if entry.Node != node {
			continue
		}
		for _, policy := range entry.Policies {
			policyBypasses.WithLabelValues(policy.Name).Inc()
		}
	}
}

// observeWait notes how long the hold has waited.
func observeWait(hold *v1beta1.NodeMaintenance, admitted time.Time) {
	admissionWait.Observe(waited(hold, admitted).Seconds())
}

// waited is how long a hold that was admitted then has waited since it was to start.
func waited(hold *v1beta1.NodeMaintenance, admitted time.Time) time.Duration {
	since := hold.CreationTimestamp.Time
	if hold.Spec.NotBefore != nil && hold.Spec.NotBefore.After(since) {
		since = hold.Spec.NotBefore.Time
	}
	return max(admitted.Sub(since), 0)
}

func oneIf(condition bool) float64 {
	if condition {
		return 1
	}
	return 0
}
