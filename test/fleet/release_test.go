// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// healthy is a condition that nobody sets, unless the test does.
const healthy = "StorageHealthy"

func gated() v1beta1.MaintenancePolicySpec {
	spec := env.AtMost("1")
	spec.Gates = &v1beta1.PolicyGates{Release: []v1beta1.PolicyGate{{NodeCondition: &v1beta1.NodeConditionGate{Type: healthy}}}}
	return spec
}

// held waits until a hold that is being deleted waits for a release gate, with its node cordoned.
func (p *pool) held(t *testing.T, hold, node string) {
	t.Helper()
	if err := p.Maintenance.MaintenanceV1beta1().NodeMaintenances().Delete(t.Context(), hold, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	env.EventuallyWithin(t, env.EventsTimeout, "an event says that the release waits", func(ctx context.Context) string {
		events, err := p.Kube.CoreV1().Events("").List(ctx, metav1.ListOptions{FieldSelector: "reason=ReleaseHeld"})
		if err != nil {
			return err.Error()
		}
		for i := range events.Items {
			if strings.Contains(events.Items[i].InvolvedObject.Name, p.Name) && strings.Contains(events.Items[i].Message, healthy) {
				return ""
			}
		}
		return fmt.Sprintf("none of %d events", len(events.Items))
	})
	if !p.Node(t, node).Spec.Unschedulable {
		t.Errorf("node %s was given back before its gate passed", node)
	}
}

// A node whose release gate does not pass stays cordoned, and keeps its place, until the gate passes.
func TestReleaseGateKeepsTheNode(t *testing.T) {
	p := newPool(t, 2)
	policy := p.Policy(t, "gated", gated())
	first := p.cordon(t, p.Nodes[0])
	p.admitted(t, first)
	second := p.cordon(t, p.Nodes[1])
	p.held(t, first, p.Nodes[0])
	p.waiting(t, second, v1beta1.AdmissionQueued)
	p.patchNode(t, p.Nodes[0], `{"status":{"conditions":[{"type":"`+healthy+`","status":"True"}]}}`, "status")
	p.WaitUntilCleanNode(t, p.Nodes[0])
	p.admitted(t, second)
	p.change(t, policy, `{"spec":{"gates":null}}`)
	p.Delete(t, second)
}

// Who may bypass gives a node back although its release gate does not pass, also while the hold is being deleted.
func TestBypassOfAReleaseGate(t *testing.T) {
	p := newPool(t, 1)
	p.Policy(t, "gated", gated())
	hold := p.cordon(t, p.Nodes[0])
	p.admitted(t, hold)
	p.held(t, hold, p.Nodes[0])
	p.patch(t, hold, `{"spec":{"bypassPolicies":true,"reason":"the monitor is down"}}`)
	p.WaitUntilClean(t)
	p.waitReleased(t)
}
