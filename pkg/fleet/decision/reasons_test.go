// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// A policy that this version cannot apply has all nodes wait that it could select.
func TestInvalidPolicy(t *testing.T) {
	for name, test := range map[string]struct {
		do       func(*v1beta1.MaintenancePolicySpec)
		wantWait string
	}{
		"no selector": {func(s *v1beta1.MaintenancePolicySpec) { s.NodeSelector = nil }, "spec.nodeSelector is missing"},
		"operator": {func(s *v1beta1.MaintenancePolicySpec) {
			s.NodeSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "pool", Operator: "Newer"}}}
		}, `spec.nodeSelector cannot be applied: "Newer" is not a valid label selector operator`},
		"cron": {func(s *v1beta1.MaintenancePolicySpec) {
			s.Schedule = &v1beta1.PolicySchedule{Windows: []v1beta1.PolicyWindow{{Name: "w", Cron: "@newer", DurationSeconds: ptr.To[int64](600)}}}
		}, ""},
		"limit": {
			func(s *v1beta1.MaintenancePolicySpec) { s.Limits.MaxConcurrent = ptr.To(intstr.FromString("most")) },
			`spec.limits: "most" is neither a number of nodes nor a share of them`,
		},
		"domains": {func(s *v1beta1.MaintenancePolicySpec) { s.Limits.Topology = []v1beta1.TopologyLimit{{}} }, "spec.limits.topology has no key, or fewer than 1 domain"},
		"half a pace": {
			func(s *v1beta1.MaintenancePolicySpec) { s.Pace = &v1beta1.PolicyPace{MaxStarts: ptr.To[int32](1)} },
			"spec.pace has only one of maxStarts and perSeconds",
		},
		"no pace": {func(s *v1beta1.MaintenancePolicySpec) {
			s.Pace = &v1beta1.PolicyPace{MaxStarts: ptr.To[int32](0), PerSeconds: ptr.To[int64](60)}
		}, "spec.pace has a maxStarts or perSeconds below 1"},
		"start gate": {
			func(s *v1beta1.MaintenancePolicySpec) {
				s.Gates = &v1beta1.PolicyGates{Start: make([]v1beta1.PolicyGate, 1)}
			},
			"spec.gates.start has a gate of unknown form",
		},
		"release gate": {
			func(s *v1beta1.MaintenancePolicySpec) {
				s.Gates = &v1beta1.PolicyGates{Release: make([]v1beta1.PolicyGate, 1)}
			},
			"spec.gates.release has a gate of unknown form",
		},
		"approvals": {func(s *v1beta1.MaintenancePolicySpec) { s.Approvals = &v1beta1.PolicyApprovals{} }, ""},
		"autoStop":  {func(s *v1beta1.MaintenancePolicySpec) { s.AutoStop = &v1beta1.PolicyAutoStop{} }, "spec.autoStop.failures is below 1"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet("aa")
			spec := f.policy("all")
			spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "web"}}
			test.do(spec)
			f.holds("w-1")
			o := f.decide()
			reasons := reasonsOf(o, "h-w-1")
			if len(reasons) == 0 || reasons[0] != v1beta1.AdmissionInvalidPolicy {
				t.Fatalf("got %v, want InvalidPolicy first", reasons)
			}
			if want := "this version of the server cannot apply it: " + test.wantWait; test.wantWait != "" && o.Holds["h-w-1"].Waits[0].Message != want {
				t.Errorf("got %q, want %q", o.Holds["h-w-1"].Waits[0].Message, want)
			}
			if !o.Holds["h-w-1"].Earliest.IsZero() || len(o.Planned) > 0 {
				t.Error("it looks as if it started by itself")
			}
		})
	}
}

// Everything that a hold waits for is said at once, for each policy.
func TestAllReasons(t *testing.T) {
	f := newFleet("ab")
	spec := f.policy("all")
	spec.Limits.MaxConcurrent = limit("1")
	f.holds("w-2")
	f.decide()
	spec.Paused, spec.Schedule, spec.Approvals = true, frozen(), &v1beta1.PolicyApprovals{Count: 2}
	f.policy("more").Limits.MaxConcurrent = limit("0")
	f.hold("h", "w-1").Spec.NotBefore = ptr.To(metav1.NewTime(start.Add(time.Hour)))
	f.approve("h", "ann", v1beta1.DecisionApproved)
	o := f.decide()
	want := `not before 2026-11-21T13:00:00Z; policy "all": paused; frozen (sale); opens Tue 2026-12-01 00:00 UTC; ` +
		`1 of 2 approvals (ann); 1 of 1 node in maintenance (w-2); policy "more": no node may be in maintenance`
	if got := waitsOf(o, "h"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	f.hold("nowhere", "w-9")
	if got, want := waitsOf(f.decide(), "nowhere"), "node w-9 does not exist"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEarliestAndPlanned(t *testing.T) {
	opens := func(s *v1beta1.MaintenancePolicySpec, from time.Time) {
		s.Schedule = &v1beta1.PolicySchedule{Windows: []v1beta1.PolicyWindow{
			{Name: "once", From: ptr.To(metav1.NewTime(from)), Until: ptr.To(metav1.NewTime(from.Add(4 * time.Hour)))},
		}}
	}
	for name, test := range map[string]struct {
		do           func(f *fleet, s *v1beta1.MaintenancePolicySpec, h *v1beta1.NodeMaintenance)
		wantEarliest time.Time
		wantPlanned  bool
	}{
		"room": {func(f *fleet, s *v1beta1.MaintenancePolicySpec, _ *v1beta1.NodeMaintenance) {
			s.Limits.MaxConcurrent = limit("1")
			f.hold("other", "w-2").Spec.BypassPolicies = true
		}, time.Time{}, true},
		"window": {func(_ *fleet, s *v1beta1.MaintenancePolicySpec, _ *v1beta1.NodeMaintenance) {
			opens(s, start.Add(10*time.Hour))
		}, start.Add(10 * time.Hour), true},
		"window after a day": {func(_ *fleet, s *v1beta1.MaintenancePolicySpec, _ *v1beta1.NodeMaintenance) {
			opens(s, start.Add(25*time.Hour))
		}, start.Add(25 * time.Hour), false},
		"two windows and notBefore": {func(f *fleet, s *v1beta1.MaintenancePolicySpec, h *v1beta1.NodeMaintenance) {
			opens(s, start.Add(10*time.Hour))
			opens(f.policy("other"), start.Add(12*time.Hour))
			h.Spec.NotBefore = ptr.To(metav1.NewTime(start.Add(13 * time.Hour)))
		}, start.Add(13 * time.Hour), true},
		"windows that do not meet": {func(f *fleet, s *v1beta1.MaintenancePolicySpec, _ *v1beta1.NodeMaintenance) {
			opens(s, start.Add(10*time.Hour))
			opens(f.policy("other"), start.Add(15*time.Hour))
		}, time.Time{}, false},
		"pace, and then a window": {func(f *fleet, s *v1beta1.MaintenancePolicySpec, _ *v1beta1.NodeMaintenance) {
			s.Pace = &v1beta1.PolicyPace{MaxStarts: ptr.To[int32](1), PerSeconds: ptr.To[int64](3600)}
			f.hold("other", "w-2").Spec.BypassPolicies = true
			opens(f.policy("other"), start.Add(2*time.Hour))
		}, start.Add(2 * time.Hour), true},
		"a person": {func(_ *fleet, s *v1beta1.MaintenancePolicySpec, _ *v1beta1.NodeMaintenance) {
			s.Approvals = &v1beta1.PolicyApprovals{Count: 1}
			opens(s, start.Add(time.Hour))
		}, time.Time{}, false},
		"a gate": {func(_ *fleet, s *v1beta1.MaintenancePolicySpec, _ *v1beta1.NodeMaintenance) {
			s.Gates = &v1beta1.PolicyGates{Start: []v1beta1.PolicyGate{{PlanUnblocked: true}}}
		}, time.Time{}, true},
		"no marks wanted": {func(f *fleet, s *v1beta1.MaintenancePolicySpec, _ *v1beta1.NodeMaintenance) {
			opens(s, start.Add(time.Hour))
			f.policy("other").Queue.MarkWaiting = ptr.To(false)
		}, start.Add(time.Hour), false},
		"in maintenance": {func(f *fleet, s *v1beta1.MaintenancePolicySpec, _ *v1beta1.NodeMaintenance) {
			opens(s, start.Add(time.Hour))
			f.hold("other", "w-1").Spec.BypassPolicies = true
		}, start.Add(time.Hour), false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet("aa")
			spec := f.policy("all")
			test.do(f, spec, f.hold("h", "w-1"))
			o := f.decide()
			if len(o.Holds["h"].Waits) == 0 {
				t.Fatal("it does not wait")
			}
			if got := o.Holds["h"].Earliest; !got.Equal(test.wantEarliest) {
				t.Errorf("earliest %s, want %s", got, test.wantEarliest)
			}
			if got := o.Planned["w-1"]; got != test.wantPlanned {
				t.Errorf("planned %v, want %v", got, test.wantPlanned)
			}
		})
	}
}

// What a person must end goes before what ends by itself: it is the reason that users see.
func TestTheFirmestReasonIsFirst(t *testing.T) {
	f := newFleet("a")
	f.policy("about").Limits.MaxConcurrent = limit("0")
	spec := f.policy("all")
	spec.Schedule, spec.Approvals = frozen(), &v1beta1.PolicyApprovals{Count: 1}
	f.holds("w-1")
	f.approve("h-w-1", "ann", v1beta1.DecisionDenied)
	wantEqual(t, "reasons", reasonsOf(f.decide(), "h-w-1"),
		[]v1beta1.AdmissionReason{v1beta1.AdmissionDenied, v1beta1.AdmissionFrozen, v1beta1.AdmissionQueued})
}

// The condition Open is about the schedule, and says what else keeps all nodes from starting.
func TestOpenSaysWhatElseHolds(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(*v1beta1.MaintenancePolicySpec)
		want string
	}{
		"nothing":        {func(*v1beta1.MaintenancePolicySpec) {}, ""},
		"paused":         {func(s *v1beta1.MaintenancePolicySpec) { s.Paused = true }, ", but the policy is paused"},
		"no concurrent":  {func(s *v1beta1.MaintenancePolicySpec) { s.Limits.MaxConcurrent = limit("0") }, ", but a limit of the policy is 0"},
		"no unavailable": {func(s *v1beta1.MaintenancePolicySpec) { s.Limits.MaxUnavailable = limit("0%") }, ", but a limit of the policy is 0"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet("a")
			test.do(f.policy("all"))
			open := apimeta.FindStatusCondition(f.decide().Policies["all"].Status.Conditions, conditionOpen)
			if want := "the schedule lets maintenance start" + test.want; open == nil || open.Message != want {
				t.Errorf("got %+v, want %q", open, want)
			}
		})
	}
}
