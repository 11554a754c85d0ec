// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
)

// holdOf is a hold as a look at its node finds it.
func holdOf(h drainertest.Hold) Hold { return NewHold(h.Object(), &HoldMemory{}, drainertest.Epoch) }

func holdsOf(holds ...drainertest.Hold) []Hold {
	var found []Hold
	for _, h := range holds {
		found = append(found, holdOf(h))
	}
	return found
}

// uidsOf has all pods be such that a drain evicts them.
func uidsOf(pods []*corev1.Pod) sets.Set[types.UID] {
	uids := sets.New[types.UID]()
	for _, pod := range pods {
		uids.Insert(pod.UID)
	}
	return uids
}

func TestUnionOfHolds(t *testing.T) {
	web, db := drainertest.Pod{Name: "web-1"}.Object(), drainertest.Pod{Name: "db-1", App: "db"}.Object()
	tests := map[string]struct {
		holds      []drainertest.Hold
		wantStage  v1beta1.MaintenanceStage
		wantDrains []*corev1.Pod
		// wantGrace is of pod web; nil is the pod's own.
		wantGrace *int64
	}{
		"none": {wantStage: v1beta1.StageIdle},
		"one drains all": {
			holds: []drainertest.Hold{{Name: "a"}}, wantStage: v1beta1.StageDrain, wantDrains: []*corev1.Pod{web, db},
		},
		"the highest stage counts": {
			holds: []drainertest.Hold{
				{Name: "a", Stage: v1beta1.StageIdle}, {Name: "b", Stage: v1beta1.StageCordon},
			},
			wantStage: v1beta1.StageCordon,
		},
		"released holds do not count": {
			holds:     []drainertest.Hold{{Name: "a", Released: true}, {Name: "b", Stage: v1beta1.StageCordon}},
			wantStage: v1beta1.StageCordon,
		},
		"a selector narrows its own hold only": {
			holds:      []drainertest.Hold{{Name: "a", SelectApp: "db"}, {Name: "b", Stage: v1beta1.StageCordon}},
			wantStage:  v1beta1.StageDrain,
			wantDrains: []*corev1.Pod{db},
		},
		"selectors add up": {
			holds:      []drainertest.Hold{{Name: "a", SelectApp: "db"}, {Name: "b", SelectApp: "web"}},
			wantStage:  v1beta1.StageDrain,
			wantDrains: []*corev1.Pod{web, db},
		},
		"an empty selector selects all": {
			holds: []drainertest.Hold{{Name: "a", Change: func(h *v1beta1.NodeMaintenance) {
				h.Spec.Drain.PodSelector = &metav1.LabelSelector{}
			}}},
			wantStage: v1beta1.StageDrain, wantDrains: []*corev1.Pod{web, db},
		},
		"a selector that cannot be used selects nothing": {
			holds: []drainertest.Hold{{Name: "a", Change: func(h *v1beta1.NodeMaintenance) {
				h.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
					Key: "x", Operator: "?",
				}}}
			}}},
			wantStage: v1beta1.StageDrain,
		},
		"the longest grace of those that drain the pod": {
			holds: []drainertest.Hold{
				{Name: "a", GracePeriodSeconds: 10},
				{Name: "b", GracePeriodSeconds: 20},
				{Name: "c"},
				{Name: "d", GracePeriodSeconds: 90, SelectApp: "db"},
				{Name: "e", GracePeriodSeconds: 99, Stage: v1beta1.StageCordon},
			},
			wantStage: v1beta1.StageDrain, wantDrains: []*corev1.Pod{web, db}, wantGrace: ptr.To(int64(20)),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			holds := Together(holdsOf(test.holds...))
			active := holds.Active
			if got := holds.Stage(); got != test.wantStage {
				t.Errorf("stage %s, want %s", got, test.wantStage)
			}
			pods := []*corev1.Pod{web, db}
			in := plan.Input{
				Node: drainertest.NodeName, Pods: pods, Drainable: sets.New(web.UID, db.UID), Now: drainertest.Epoch,
			}
			for _, a := range active {
				in.Holds = append(in.Holds, a.Hold)
			}
			planned := plan.Make(in)
			for i, pod := range pods {
				if got, want := planned.Pods[i].Action == v1beta1.PlanEvict, slices.Contains(test.wantDrains, pod); got != want {
					t.Errorf("pod %s is drained: %t, want %t", pod.Name, got, want)
				}
			}
			var got *int64
			for _, e := range planned.Evictions() {
				if e.Pod == web {
					got = e.GracePeriodSeconds
				}
			}
			if diff := cmp.Diff(test.wantGrace, got); diff != "" {
				t.Errorf("grace period (-want +got):\n%s", diff)
			}
		})
	}
}
