// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceprofile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// sane is a profile with nothing to warn of.
func sane() *maintenance.MaintenanceProfile {
	return &maintenance.MaintenanceProfile{
		ObjectMeta: metav1.ObjectMeta{Name: "flatcar"},
		Spec: maintenance.MaintenanceProfileSpec{
			Nodes: maintenance.ProfileNodes{Unlabelled: true},
			Checks: []maintenance.ProfileCheck{
				{Name: "behind", ClusterVersion: &maintenance.ClusterVersionCheck{LabelKey: "version"}},
				{Name: "max", MaxInMaintenance: &maintenance.MaxInMaintenanceCheck{Max: 1, Profile: "flatcar"}},
				{Name: "next", Stagger: &maintenance.StaggerCheck{Pool: "p", Seconds: 60}},
				{Name: "pods", PodAffinity: &maintenance.PodAffinityCheck{}},
			},
			Triggers:  []maintenance.ProfileTrigger{{Name: "reboot"}},
			Notifiers: []maintenance.ProfileNotifier{{Name: "chat"}},
			States: maintenance.ProfileStates{
				Operational: maintenance.ProfileStateSpec{Transitions: []maintenance.ProfileTransition{{Name: "behind", Check: "behind", Next: maintenance.ProfileMaintenanceRequired}}},
				MaintenanceRequired: maintenance.ProfileStateSpec{Notify: []string{"chat"}, Transitions: []maintenance.ProfileTransition{
					{Name: "start", Check: "max && (next || pods)", Triggers: []string{"reboot"}, Next: maintenance.ProfileInMaintenance},
				}},
				InMaintenance: maintenance.ProfileStateSpec{Transitions: []maintenance.ProfileTransition{{Name: "done", Check: "!behind", Next: maintenance.ProfileOperational}}},
			},
		},
	}
}

func TestWarnings(t *testing.T) {
	type spec = maintenance.MaintenanceProfileSpec
	other := sane()
	other.Name, other.Spec.Alias = "other", "esx"
	other.Spec.Checks[2].Stagger.Seconds = 120
	for name, test := range map[string]struct {
		change func(*spec)
		others []maintenance.MaintenanceProfile
		want   []string
	}{
		"none": {change: func(*spec) {}},
		"unused": {
			change: func(s *spec) {
				s.Checks = append(s.Checks, maintenance.ProfileCheck{Name: "x"})
				s.Triggers, s.Notifiers = append(s.Triggers, maintenance.ProfileTrigger{Name: "x"}), append(s.Notifiers, maintenance.ProfileNotifier{Name: "x"})
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
				s.States.Operational.Transitions[0].Next, s.States.Operational.Transitions[0].Check = maintenance.ProfileInMaintenance, "behind && max"
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
				s.Checks[1] = maintenance.ProfileCheck{Name: "max", Approval: &maintenance.ApprovalCheck{}}
			},
		},
		"held while operational": {
			change: func(s *spec) { s.States.Operational.Hold = &maintenance.ProfileHold{} },
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
			change: func(s *spec) { s.Checks[1].MaxInMaintenance.Profile = "esx" }, others: []maintenance.MaintenanceProfile{*other},
			want: []string{`spec.checks[2].stagger.seconds: a place of pool "p" is taken for 60 seconds here, and for 120 by check "next" of profile "other"`},
		},
		"a pool of two": {
			change: func(s *spec) {
				s.Checks = append(s.Checks, maintenance.ProfileCheck{Name: "later", Stagger: &maintenance.StaggerCheck{Pool: "p", Seconds: 90}})
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
