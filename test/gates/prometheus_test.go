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
	waiting := pool.WaitForHold(t, hold, "it waits for the query", env.WaitsFor(v1beta1.AdmissionGateFailed))
	wantFor(t, waiting.Status.Admission.WaitingFor[0].Message, node)
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
		return apimeta.IsStatusConditionFalse(nm.Status.Conditions, v1beta1.ConditionReleased)
	})
	released := apimeta.FindStatusCondition(kept.Status.Conditions, v1beta1.ConditionReleased)
	wantFor(t, released.Message, node)
	if shown := pool.Kubectl().Must(t, "", "get", "nm", hold, "-o", "wide"); !strings.Contains(shown, released.Message[:90]) {
		t.Errorf("kubectl does not show %q:\n%s", released.Message, shown)
	}
	if !pool.Node(t, node).Spec.Unschedulable {
		t.Error("the node was given back before its gate passed")
	}
	prometheus.set(node, true)
	pool.WaitUntilClean(t)
}

// wantFor wants the message to say that the result of the query about the node is missing.
func wantFor(t *testing.T, message, node string) {
	t.Helper()
	want := `waits for a result of the query good{node="` + node + `"} (the query has no result)`
	if !strings.Contains(message, want) {
		t.Errorf("message %q, want %q in it", message, want)
	}
}
