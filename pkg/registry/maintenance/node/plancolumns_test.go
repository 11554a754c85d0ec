// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// Each row carries its own pod, and no other, so that the table grows with the number of pods and
// not with its square.
func TestRowsOfAPlan(t *testing.T) {
	planOf := func(status v1beta1.DrainPlanStatus) *v1beta1.DrainPlan {
		status.EvictionPods, status.StayingPods = 2, 1
		return &v1beta1.DrainPlan{
			ObjectMeta: metav1.ObjectMeta{Name: "worker-1"},
			Spec:       v1beta1.DrainSpec{UnmanagedPods: v1beta1.PolicyEvict},
			Status:     status,
		}
	}
	web := v1beta1.PlannedPod{Pod: "a/web", Action: "Evict", Turn: 1}
	alone := v1beta1.PlannedPod{Pod: "a/alone", Action: "Evict", Turn: 1}
	agent := v1beta1.PlannedPod{Pod: "a/agent", Action: "Stay", Message: "a static pod"}
	pods := func(pods ...v1beta1.PlannedPod) []v1beta1.PlannedPod { return pods }
	whole := planOf(v1beta1.DrainPlanStatus{
		Pods: pods(web, alone, agent), UnmanagedPods: []string{"a/alone"}, EmptyDirPods: []string{"a/alone", "a/web"},
		DoNotDisruptPods: []string{"a/web"}, MislabeledPods: []string{"a/alone"}, UnschedulablePods: []string{"a/web"},
	})
	before := whole.DeepCopy()

	table, err := PlanTable{}.ConvertToTable(t.Context(), whole, nil)
	if err != nil {
		t.Fatal(err)
	}
	row := func(plan *v1beta1.DrainPlan, cells ...any) metav1.TableRow {
		return metav1.TableRow{Cells: cells, Object: runtime.RawExtension{Object: plan}}
	}
	want := []metav1.TableRow{
		row(planOf(v1beta1.DrainPlanStatus{Pods: pods(web), EmptyDirPods: []string{"a/web"}, DoNotDisruptPods: []string{"a/web"}, UnschedulablePods: []string{"a/web"}}),
			"a/web", "Evict", "1", resource.None, resource.None, resource.None, ""),
		row(planOf(v1beta1.DrainPlanStatus{Pods: pods(alone), UnmanagedPods: []string{"a/alone"}, EmptyDirPods: []string{"a/alone"}, MislabeledPods: []string{"a/alone"}}),
			"a/alone", "Evict", "1", resource.None, resource.None, resource.None, ""),
		row(planOf(v1beta1.DrainPlanStatus{Pods: pods(agent)}),
			"a/agent", "Stay", resource.None, resource.None, resource.None, resource.None, "a static pod"),
	}
	if diff := cmp.Diff(want, table.Rows); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, whole); diff != "" {
		t.Errorf("the plan itself was changed (-want +got):\n%s", diff)
	}
}

// The table says what blocks a pod and what its eviction loses, and nothing twice.
func TestMessageOfAPlannedPod(t *testing.T) {
	blocker := func(message string) *v1beta1.DrainBlocker { return &v1beta1.DrainBlocker{Message: message} }
	tests := map[string]struct {
		pod  v1beta1.PlannedPod
		want string
	}{
		"nothing":      {},
		"free to go":   {pod: v1beta1.PlannedPod{Message: "bare"}, want: "bare"},
		"blocked":      {pod: v1beta1.PlannedPod{Blocker: blocker("no room")}, want: "no room"},
		"both":         {pod: v1beta1.PlannedPod{Message: "bare", Blocker: blocker("no room")}, want: "no room; bare"},
		"said already": {pod: v1beta1.PlannedPod{Message: "rules[0]", Blocker: blocker("waits (rules[0])")}, want: "waits (rules[0])"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := messageCell(&test.pod); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
