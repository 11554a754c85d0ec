// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"strings"
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// good is a gate that passes while the node is good.
func good() []v1beta1.PolicyGate {
	return []v1beta1.PolicyGate{{Prometheus: &v1beta1.PrometheusGate{Query: `good{node="$(nodeName)"}`}}}
}

// A query keeps maintenance from starting, and later the node from being given back, until it has a result.
func TestPrometheusGates(t *testing.T) {
	pool := env.Current(t).NewPool(t, 1)
	node := pool.Nodes[0]
	pool.Policy(t, "gated", v1beta1.MaintenancePolicySpec{Gates: &v1beta1.PolicyGates{Start: good(), Release: good()}})
	hold := pool.Create(t, pool.Hold("a", node)).Name
	pool.WaitForHold(t, hold, "it waits for the query", func(nm *v1beta1.NodeMaintenance) bool {
		return env.WaitsFor(v1beta1.AdmissionGateFailed)(nm) && says(nm.Status.Admission.WaitingFor[0].Message, node)
	})
	if pool.Node(t, node).Spec.Unschedulable {
		t.Error("the node is cordoned before its gate passes")
	}
	prometheus.set(node, true)
	pool.WaitForHold(t, hold, "node drained", env.Drained)

	prometheus.set(node, false)
	holds := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	if err := holds.Delete(t.Context(), hold, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	kept := pool.WaitForHold(t, hold, "the release waits for the query", func(nm *v1beta1.NodeMaintenance) bool {
		released := apimeta.FindStatusCondition(nm.Status.Conditions, v1beta1.ConditionReleased)
		return released != nil && released.Status == metav1.ConditionFalse && says(released.Message, node)
	})
	released := apimeta.FindStatusCondition(kept.Status.Conditions, v1beta1.ConditionReleased)
	if shown := pool.Kubectl().Must(t, "", "get", "nm", hold, "-o", "wide"); !strings.Contains(shown, released.Message[:90]) {
		t.Errorf("kubectl does not show %q:\n%s", released.Message, shown)
	}
	if !pool.Node(t, node).Spec.Unschedulable {
		t.Error("the node was given back before its gate passed")
	}
	prometheus.set(node, true)
	pool.WaitUntilClean(t)
}

// says tells whether the message says that the result of the query about the node is missing. Before the first answer it
// says something else.
func says(message, node string) bool {
	return strings.Contains(message, `waits for a result of the query good{node="`+node+`"} (the query has no result)`)
}
