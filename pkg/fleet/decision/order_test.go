// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestOrder(t *testing.T) {
	web, db := types.NamespacedName{Namespace: "web", Name: "web"}, types.NamespacedName{Namespace: "db", Name: "db"}
	load := func(budget types.NamespacedName, pods, allowed int) PodLoad {
		return PodLoad{Budgets: map[types.NamespacedName]int{budget: pods}, Allowed: map[types.NamespacedName]int{budget: allowed}}
	}
	for name, test := range map[string]struct {
		zones string
		do    func(f *fleet, holds []*v1beta1.NodeMaintenance)
		want  []types.UID
	}{
		"age": {"aaa", func(f *fleet, h []*v1beta1.NodeMaintenance) {
			h[0].CreationTimestamp = metav1.NewTime(start.Add(time.Hour))
		}, []types.UID{"h-w-2", "h-w-3", "h-w-1"}},
		"name": {"aaa", func(f *fleet, h []*v1beta1.NodeMaintenance) {
			for i := range h {
				h[i].CreationTimestamp = metav1.NewTime(start)
			}
			slices.Reverse(f.Holds)
			slices.Reverse(f.Nodes)
		}, []types.UID{"h-w-1", "h-w-2", "h-w-3"}},
		"priority before a deadline": {"aaa", func(f *fleet, h []*v1beta1.NodeMaintenance) {
			h[1].Spec.StartDeadline = ptr.To(metav1.NewTime(start.Add(-time.Hour)))
			h[2].Spec.Priority = 1
			h[0].Spec.Priority = -1
		}, []types.UID{"h-w-3", "h-w-2", "h-w-1"}},
		"missed and nearest deadlines": {"aaaa", func(f *fleet, h []*v1beta1.NodeMaintenance) {
			h[1].Spec.StartDeadline = ptr.To(metav1.NewTime(start.Add(2 * time.Hour)))
			h[2].Spec.StartDeadline = ptr.To(metav1.NewTime(start.Add(time.Hour)))
			h[3].Spec.StartDeadline = ptr.To(metav1.NewTime(start.Add(-time.Hour)))
		}, []types.UID{"h-w-4", "h-w-3", "h-w-2", "h-w-1"}},
		"a deadline within a day": {"aaa", func(f *fleet, h []*v1beta1.NodeMaintenance) {
			h[2].Spec.StartDeadline = ptr.To(metav1.NewTime(start.Add(24 * time.Hour)))
		}, []types.UID{"h-w-3", "h-w-1", "h-w-2"}},
		"a far deadline changes nothing": {"aaa", func(f *fleet, h []*v1beta1.NodeMaintenance) {
			h[1].Spec.StartDeadline = ptr.To(metav1.NewTime(start.Add(48 * time.Hour)))
			h[2].Spec.StartDeadline = ptr.To(metav1.NewTime(start.Add(24*time.Hour + time.Second)))
		}, []types.UID{"h-w-1", "h-w-2", "h-w-3"}},
		"zone by zone": {"baba", func(*fleet, []*v1beta1.NodeMaintenance) {}, []types.UID{"h-w-2", "h-w-4", "h-w-1", "h-w-3"}},
		"the begun zone first": {"babac", func(f *fleet, h []*v1beta1.NodeMaintenance) {
			h[0].Spec.BypassPolicies = true
		}, []types.UID{"h-w-3", "h-w-2", "h-w-4", "h-w-5"}},
		"coupled to what is drained last": {"aaaa", func(f *fleet, h []*v1beta1.NodeMaintenance) {
			h[0].Spec.BypassPolicies = true
			f.Pods["w-1"], f.Pods["w-2"] = load(web, 1, 1), load(web, 1, 1)
			f.Pods["w-3"], f.Pods["w-4"] = load(db, 9, 0), load(web, 2, 1)
		}, []types.UID{"h-w-3", "h-w-2", "h-w-4"}},
		"a budget that allows all of them does not couple": {"aaa", func(f *fleet, h []*v1beta1.NodeMaintenance) {
			h[0].Spec.BypassPolicies = true
			f.Pods["w-1"], f.Pods["w-2"], f.Pods["w-3"] = load(web, 1, 2), load(web, 1, 2), load(db, 1, 0)
		}, []types.UID{"h-w-2", "h-w-3"}},
		"fewest pods": {"aaa", func(f *fleet, h []*v1beta1.NodeMaintenance) {
			f.Pods["w-1"], f.Pods["w-2"], f.Pods["w-3"] = PodLoad{Evictable: 3}, PodLoad{Evictable: 1}, PodLoad{Evictable: 2}
		}, []types.UID{"h-w-2", "h-w-3", "h-w-1"}},
		"long waits first, within a priority": {"aaa", func(f *fleet, h []*v1beta1.NodeMaintenance) {
			f.Pods["w-1"], f.Pods["w-2"], f.Pods["w-3"] = PodLoad{Evictable: 3}, PodLoad{Evictable: 2}, PodLoad{Evictable: 1}
			h[0].CreationTimestamp = metav1.NewTime(start.Add(-time.Hour))
			h[1].Spec.Priority = 1
			f.Policies[0].Spec.Limits.MaxConcurrent = limit("1")
			f.Policies[0].Spec.Limits.MaxUnavailable = limit("3")
			f.hold("other", "w-x").Spec.BypassPolicies = true
			f.addNode("w-x", map[string]string{"topology.kubernetes.io/zone": "a"})
		}, []types.UID{"h-w-2", "h-w-1", "h-w-3"}},
		"created together, the order stays when all are old": {"baba", func(f *fleet, h []*v1beta1.NodeMaintenance) {
			f.Policies[0].Spec.Limits.MaxConcurrent = limit("1")
			f.hold("other", "w-x").Spec.BypassPolicies = true
			f.addNode("w-x", map[string]string{"topology.kubernetes.io/zone": "a"})
			f.pass(2 * time.Hour)
		}, []types.UID{"h-w-2", "h-w-4", "h-w-1", "h-w-3"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(test.zones)
			f.policy("all").Limits.MaxConcurrent = limit("0")
			var nodes []string
			for _, n := range f.Nodes {
				nodes = append(nodes, n.Name)
			}
			f.holds(nodes...)
			test.do(f, slices.Clone(f.Holds))
			o := f.decide()
			wantEqual(t, "queue", o.Policies["all"].Queue, test.want)
			for i, uid := range test.want {
				want := v1beta1.QueuePosition{Policy: "all", Position: int32(i + 1), Of: int32(len(test.want))}
				wantEqual(t, "positions", o.Holds[uid].Positions, []v1beta1.QueuePosition{want})
			}
		})
	}
}

// The holds of one node have one place.
func TestPlacesOfOneNode(t *testing.T) {
	f := newFleet("aa")
	f.policy("all").Paused = true
	f.hold("a", "w-1")
	f.hold("b", "w-2")
	f.hold("c", "w-1")
	o := f.decide()
	for hold, want := range map[types.UID]v1beta1.QueuePosition{"a": {Policy: "all", Position: 1, Of: 2}, "b": {Policy: "all", Position: 2, Of: 2}, "c": {Policy: "all", Position: 1, Of: 2}} {
		wantEqual(t, string(hold), o.Holds[hold].Positions, []v1beta1.QueuePosition{want})
	}
	if got := o.Policies["all"].Status.Waiting; got != 2 {
		t.Errorf("%d nodes wait, want 2", got)
	}
}

// A hold that others keep is passed over, and so is one whose limit can never have room: nothing is kept for it.
func TestPassedOver(t *testing.T) {
	for name, do := range map[string]func(*fleet, *v1beta1.MaintenancePolicySpec){
		"closed":   func(_ *fleet, s *v1beta1.MaintenancePolicySpec) { s.Schedule = frozen() },
		"approval": func(_ *fleet, s *v1beta1.MaintenancePolicySpec) { s.Approvals = &v1beta1.PolicyApprovals{Count: 1} },
		"limit 0":  func(_ *fleet, s *v1beta1.MaintenancePolicySpec) { s.Limits.MaxConcurrent = limit("0") },
		"others are broken": func(f *fleet, s *v1beta1.MaintenancePolicySpec) {
			s.Limits.MaxUnavailable = limit("1")
			f.addNode("broken", map[string]string{"topology.kubernetes.io/zone": "a"})
			f.ready("broken", false)
		},
		"gate": func(f *fleet, s *v1beta1.MaintenancePolicySpec) {
			s.Gates = &v1beta1.PolicyGates{Start: []v1beta1.PolicyGate{{PlanUnblocked: true}}}
			f.Started[GateKey{"h-w-1", "zone-a"}] = GateAnswer{Reason: v1beta1.AdmissionGateFailed, Message: "no"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet("ab")
			f.policy("all").Limits.MaxConcurrent = limit("1")
			zone := f.policy("zone-a")
			zone.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"topology.kubernetes.io/zone": "a"}}
			do(f, zone)
			f.holds("w-1")
			f.pass(2 * time.Hour)
			f.holds("w-2")
			wantEqual(t, "entered", entered(f.decide()), []string{"w-2"})
		})
	}
}

func frozen() *v1beta1.PolicySchedule {
	return &v1beta1.PolicySchedule{Freezes: []v1beta1.PolicyFreeze{{
		PolicyWindow: v1beta1.PolicyWindow{Name: "sale"}, Dates: &v1beta1.DateRange{From: "2026-11-20", Until: "2026-11-30"},
	}}}
}
