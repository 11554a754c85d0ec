// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// pool is a test's nodes, and what it does to them.
type pool struct{ *env.Pool }

func newPool(t *testing.T, nodes int) *pool {
	t.Helper()
	t.Parallel()
	return &pool{Pool: env.Current(t).NewPool(t, nodes)}
}

// status waits until check accepts the status of a policy.
func (p *pool) status(t *testing.T, policy, what string, check func(status v1beta1.MaintenancePolicyStatus) bool) {
	t.Helper()
	env.Eventually(t, what, func(ctx context.Context) string {
		found, err := p.Maintenance.MaintenanceV1beta1().MaintenancePolicies().Get(ctx, policy, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if found.Status.ObservedGeneration == found.Generation && check(found.Status) {
			return ""
		}
		status, _ := json.Marshal(found.Status)
		return string(status)
	})
}

// change changes a policy by a merge patch.
func (p *pool) change(t *testing.T, policy, patch string) {
	t.Helper()
	_, err := p.Maintenance.MaintenanceV1beta1().MaintenancePolicies().
		Patch(t.Context(), policy, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		t.Fatalf("could not patch policy %s: %v", policy, err)
	}
}

// cordon creates a hold of stage Cordon on a node, named like the node.
func (p *pool) cordon(t *testing.T, node string) string {
	t.Helper()
	return p.Create(t, p.of(node)).Name
}

// of is a hold of stage Cordon on a node, named like the node.
func (p *pool) of(node string) *v1beta1.NodeMaintenance {
	hold := p.Hold(strings.TrimPrefix(node, p.Name+"-"), node)
	hold.Spec.Stage = v1beta1.StageCordon
	return hold
}

// patch changes a hold by a merge patch.
func (p *pool) patch(t *testing.T, hold, patch string) {
	t.Helper()
	_, err := p.Maintenance.MaintenanceV1beta1().NodeMaintenances().
		Patch(t.Context(), hold, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		t.Fatalf("could not patch NodeMaintenance %s: %v", hold, err)
	}
}

// patchNode changes a node by a merge patch, or its status.
func (p *pool) patchNode(t *testing.T, node, patch string, subresources ...string) {
	t.Helper()
	kind := types.MergePatchType
	if len(subresources) > 0 {
		kind = types.StrategicMergePatchType
	}
	_, err := p.Kube.CoreV1().Nodes().Patch(t.Context(), node, kind, []byte(patch), metav1.PatchOptions{}, subresources...)
	if err != nil {
		t.Fatalf("could not patch node %s: %v", node, err)
	}
}

// admitted waits until a hold has cordoned its node.
func (p *pool) admitted(t *testing.T, holds ...string) {
	t.Helper()
	for _, hold := range holds {
		p.WaitForHold(t, hold, hold+" starts", func(nm *v1beta1.NodeMaintenance) bool {
			return nm.Status.Phase == v1beta1.PhaseSucceeded && len(env.Waits(nm)) == 0
		})
	}
}

// waiting waits until a hold waits for that alone, and checks that its node is untouched. It may be marked as planned.
func (p *pool) waiting(t *testing.T, hold string, want ...v1beta1.AdmissionReason) *v1beta1.NodeMaintenance {
	t.Helper()
	nm := p.WaitForHold(t, hold, fmt.Sprintf("%s waits for %v", hold, want), func(nm *v1beta1.NodeMaintenance) bool {
		return fmt.Sprint(env.Waits(nm)) == fmt.Sprint(want) && nm.Status.Phase == v1beta1.PhasePending
	})
	node := p.Node(t, nm.Spec.NodeName)
	node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == v1beta1.PlannedTaint })
	if marks := env.MarksOn(node); marks != "" {
		t.Errorf("node %s of %s, which waits, has %s", nm.Spec.NodeName, hold, marks)
	}
	return nm
}

// frozen is a policy that lets nothing start in this century.
func frozen() v1beta1.MaintenancePolicySpec {
	freeze := v1beta1.PolicyFreeze{PolicyWindow: v1beta1.PolicyWindow{Name: "century"}, Dates: &v1beta1.DateRange{From: "2000-01-01", Until: "2099-12-31"}}
	return v1beta1.MaintenancePolicySpec{Schedule: &v1beta1.PolicySchedule{Freezes: []v1beta1.PolicyFreeze{freeze}}}
}
