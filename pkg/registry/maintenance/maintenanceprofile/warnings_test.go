// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceprofile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// sane is a profile with nothing to warn of.
func sane() *v1beta1.MaintenanceProfile {
	return &v1beta1.MaintenanceProfile{
		ObjectMeta: metav1.ObjectMeta{Name: "flatcar"},
		Spec: v1beta1.MaintenanceProfileSpec{
			Nodes: v1beta1.ProfileNodes{Unlabelled: true},
			Checks: []v1beta1.ProfileCheck{
				{Name: "behind", ClusterVersion: &v1beta1.ClusterVersionCheck{LabelKey: "version"}},
				{Name: "max", MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{Max: 1, Profile: "flatcar"}},
				{Name: "next", Stagger: &v1beta1.StaggerCheck{Pool: "p", Seconds: 60}},
				{Name: "pods", PodAffinity: &v1beta1.PodAffinityCheck{}},
			},
			Triggers:  []v1beta1.ProfileTrigger{{Name: "reboot"}},
			Notifiers: []v1beta1.ProfileNotifier{{Name: "chat"}},
			States: v1beta1.ProfileStates{
				Operational: v1beta1.ProfileStateSpec{Transitions: []v1beta1.ProfileTransition{{Name: "behind", Check: "behind", Next: v1beta1.ProfileMaintenanceRequired}}},
				MaintenanceRequired: v1beta1.ProfileStateSpec{Notify: []string{"chat"}, Transitions: []v1beta1.ProfileTransition{
					{Name: "start", Check: "max && (next || pods)", Triggers: []string{"reboot"}, Next: v1beta1.ProfileInMaintenance},
				}},
				InMaintenance: v1beta1.ProfileStateSpec{Transitions: []v1beta1.ProfileTransition{{Name: "done", Check: "!behind", Next: v1beta1.ProfileOperational}}},
			},
		},
	}
}

func TestWarnings(t *testing.T) {
	type spec = v1beta1.MaintenanceProfileSpec
	other := sane()
	other.Name, other.Spec.Alias = "other", "esx"
	other.Spec.Checks[2].Stagger.Seconds = 120
	for name, test := range map[string]struct {
		change func(*spec)
		others []v1beta1.MaintenanceProfile
		want   []string
	}{
		"none": {change: func(*spec) {}},
		"unused": {
			change: func(s *spec) {
				s.Checks = append(s.Checks, v1beta1.ProfileCheck{Name: "x"})
				s.Triggers, s.Notifiers = append(s.Triggers, v1beta1.ProfileTrigger{Name: "x"}), append(s.Notifiers, v1beta1.ProfileNotifier{Name: "x"})
			},
			want: []string{
				`spec.checks[4]: "x" is not used: no transition names it`, `spec.triggers[1]: "x" is not used: no transition or enter names it`,
				`spec.notifiers[1]: "x" is not used: no notify names it`,
			},
		},
		"no way out": {
			change: func(s *spec) { s.States.InMaintenance.Transitions = nil },
			want:   []string{"spec.states.inMaintenance.transitions: there are none, so a node stays InMaintenance until somebody changes the profile"},
		},
		"no way in": {
			change: func(s *spec) {
				s.States.Operational.Transitions[0].Next, s.States.Operational.Transitions[0].Check = v1beta1.ProfileInMaintenance, "behind && max"
			},
			want: []string{"spec.states.maintenanceRequired: no transition leads there from Operational"},
		},
		"nothing happens": {
			change: func(s *spec) { s.States.Operational.Transitions = nil },
			want: []string{
				"spec.states.operational.transitions: there are none, so no node ever comes into maintenance",
				"spec.states.maintenanceRequired: no transition leads there from Operational", "spec.states.inMaintenance: no transition leads there from Operational",
			},
		},
		"no limit": {
			change: func(s *spec) {
				s.States.MaintenanceRequired.Transitions[0].Check = "next && pods"
				s.Checks = append(s.Checks[:1:1], s.Checks[2:]...)
			},
			want: []string{"spec.states.maintenanceRequired.transitions[0].check: all nodes can be in maintenance at the same time: it names no check maxInMaintenance or approval"},
		},
		"people are a limit": {
			change: func(s *spec) {
				s.Checks[1] = v1beta1.ProfileCheck{Name: "max", Approval: &v1beta1.ApprovalCheck{}}
			},
		},
		"held while operational": {
			change: func(s *spec) { s.States.Operational.Hold = &v1beta1.ProfileHold{} },
			want:   []string{"spec.states.operational.hold: takes every node of the profile out of service while it needs no maintenance"},
		},
		"affinity in another state": {
			change: func(s *spec) { s.States.InMaintenance.Transitions[0].Check = "pods" },
			want:   []string{`spec.states.inMaintenance.transitions[0].check: "pods" is a podAffinity, which ends in an error in the state InMaintenance: it is for maintenanceRequired`},
		},
		"a profile that there is not": {
			change: func(s *spec) { s.Checks[1].MaxInMaintenance.Profile = "esx" },
			want:   []string{`spec.checks[1].maxInMaintenance.profile: no profile has the alias "esx", so no node counts`},
		},
		"a pool of others": {
			change: func(s *spec) { s.Checks[1].MaxInMaintenance.Profile = "esx" }, others: []v1beta1.MaintenanceProfile{*other},
			want: []string{`spec.checks[2].stagger.seconds: a place of pool "p" is taken for 60 seconds here, and for 120 by check "next" of profile "other"`},
		},
		"a pool of two": {
			change: func(s *spec) {
				s.Checks = append(s.Checks, v1beta1.ProfileCheck{Name: "later", Stagger: &v1beta1.StaggerCheck{Pool: "p", Seconds: 90}})
				s.States.MaintenanceRequired.Transitions[0].Check += " && later"
			},
			want: []string{`spec.checks[4].stagger.seconds: a place of pool "p" is taken for 90 seconds here, and for 60 by check "next" of profile "flatcar"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			profile := sane()
			test.change(&profile.Spec)
			if diff := cmp.Diff(test.want, Warnings(profile, test.others)); diff != "" {
				t.Errorf("warnings differ (-want +got):\n%s", diff)
			}
		})
	}
}
