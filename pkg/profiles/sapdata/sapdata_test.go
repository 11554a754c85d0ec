// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapdata

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var (
	created = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	entered = created.Add(time.Hour)
)

func profile(alias string, state v1beta1.ProfileState, change ...func(*v1beta1.NodeProfileStatus)) Profile {
	p := Profile{Alias: alias, NodeProfile: &v1beta1.NodeProfile{}}
	p.NodeProfile.Status = v1beta1.NodeProfileStatus{State: state, Since: ptr.To(metav1.NewTime(entered))}
	for _, c := range change {
		c(&p.NodeProfile.Status)
	}
	return p
}

func TestOf(t *testing.T) {
	sent := func(name string, at time.Time) func(*v1beta1.NodeProfileStatus) {
		return func(s *v1beta1.NodeProfileStatus) {
			s.Notifications = append(s.Notifications, v1beta1.NotificationStatus{Notifier: name, SentTime: ptr.To(metav1.NewTime(at))})
		}
	}
	was := func(s *v1beta1.NodeProfileStatus) { s.History = make([]v1beta1.TransitionHistory, 1) }
	entering := func(s *v1beta1.NodeProfileStatus) {
		s.Transition = &v1beta1.RecordedTransition{Phase: v1beta1.PhaseEnter, From: v1beta1.ProfileOperational}
	}
	for name, test := range map[string]struct {
		profiles         []Profile
		named            []string
		before           string
		want, wantOfNode string
	}{
		"no profile": {
			want:       `{"Profiles":{"default":{"Transition":"2026-11-20T10:00:00Z","Current":"operational","Previous":"operational"}},"Notifications":{}}`,
			wantOfNode: "operational",
		},
		"no profile, known since": {
			before:     `{"Profiles":{"default":{"Transition":"2026-11-19T22:25:36.946484211Z","Current":"operational","Previous":"operational"}},"Notifications":{}}`,
			want:       `{"Profiles":{"default":{"Transition":"2026-11-19T22:25:36.946484211Z","Current":"operational","Previous":"operational"}},"Notifications":{}}`,
			wantOfNode: "operational",
		},
		"no profile of those that it names": {
			named:      []string{"a"},
			want:       `{"Profiles":{},"Notifications":{}}`,
			wantOfNode: "operational",
		},
		"some have not come yet, or have just come": {
			named: []string{"a", "b", "c", "d"}, profiles: []Profile{profile("a", v1beta1.ProfileOperational), profile("e", v1beta1.ProfileOperational, was)},
			before: `{"Profiles":{"a":{"Transition":"2026-11-01T00:00:00Z","Current":"operational","Previous":"operational"},` +
				`"b":{"Transition":"2026-11-02T00:00:00Z","Current":"operational","Previous":"operational"},` +
				`"c":{"Transition":"2026-11-03T00:00:00Z","Current":"in-maintenance","Previous":"in-maintenance"},` +
				`"e":{"Transition":"2026-11-05T00:00:00Z","Current":"operational","Previous":"operational"},` +
				`"f":{"Transition":"2026-11-06T00:00:00Z","Current":"operational","Previous":"operational"}},"Notifications":{}}`,
			want: `{"Profiles":{"a":{"Transition":"2026-11-01T00:00:00Z","Current":"operational","Previous":"operational"},` +
				`"b":{"Transition":"2026-11-02T00:00:00Z","Current":"operational","Previous":"operational"},` +
				`"e":{"Transition":"2026-11-20T11:00:00Z","Current":"operational","Previous":"operational"}},"Notifications":{}}`,
			wantOfNode: "operational",
		},
		"being entered": {
			profiles:   []Profile{profile("a", v1beta1.ProfileInMaintenance, entering)},
			want:       `{"Profiles":{"a":{"Transition":"2026-11-20T11:00:00Z","Current":"in-maintenance","Previous":"operational"}},"Notifications":{}}`,
			wantOfNode: "in-maintenance",
		},
		"several": {
			profiles: []Profile{profile("b", v1beta1.ProfileOperational), profile("a", v1beta1.ProfileMaintenanceRequired)},
			want: `{"Profiles":{"a":{"Transition":"2026-11-20T11:00:00Z","Current":"maintenance-required","Previous":"maintenance-required"},` +
				`"b":{"Transition":"2026-11-20T11:00:00Z","Current":"operational","Previous":"operational"}},"Notifications":{}}`,
			wantOfNode: "maintenance-required",
		},
		"notifications": {
			profiles: []Profile{profile("a", v1beta1.ProfileOperational, sent("x", entered), sent("x", created), sent("y", created))},
			before:   `{"Profiles":{},"Notifications":{"y":"2026-11-21T00:00:00Z","z":"2026-11-01T00:00:00Z"}}`,
			want: `{"Profiles":{"a":{"Transition":"2026-11-20T11:00:00Z","Current":"operational","Previous":"operational"}},` +
				`"Notifications":{"x":"2026-11-20T11:00:00Z","y":"2026-11-21T00:00:00Z","z":"2026-11-01T00:00:00Z"}}`,
			wantOfNode: "operational",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var before Data
			if test.before != "" {
				var err error
				if before, err = Parse(test.before); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(test.want, Of(test.profiles, test.named, before, created).String()); diff != "" {
				t.Errorf("annotation (-want +got):\n%s", diff)
			}
			if got := NodeState(test.profiles); got != test.wantOfNode {
				t.Errorf("label %s, want %s", got, test.wantOfNode)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"no JSON":       {"x", "cannot be read: invalid character"},
		"unknown field": {`{"Profiles":{},"LastTransition":"x"}`, "unknown field"},
		"null profile":  {`{"Profiles":{"a":null}}`, `the profile "a" is null`},
		"unknown state": {`{"Profiles":{"a":{"Current":"gone","Previous":"operational"}}}`, `the profile "a" has an unknown state`},
		"more":          {`{} {}`, "something after its end"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// sapProfile cordons when it becomes InMaintenance, drains when that is entered, and shares a stagger.
func sapProfile() *v1beta1.MaintenanceProfile {
	p := &v1beta1.MaintenanceProfile{ObjectMeta: metav1.ObjectMeta{Name: "disks"}}
	p.Spec.Alias = "Disks"
	p.Spec.Checks = []v1beta1.ProfileCheck{{Name: "s", Stagger: &v1beta1.StaggerCheck{Pool: "kube-system/step", Seconds: 60, Parallel: ptr.To[int32](2)}}}
	p.Spec.Triggers = []v1beta1.ProfileTrigger{
		{Name: "cordon", Hold: &v1beta1.HoldTrigger{Stage: v1beta1.StageCordon}},
		{Name: "drain", Hold: &v1beta1.HoldTrigger{}},
		{Name: "uncordon", Release: &v1beta1.ReleaseTrigger{}},
	}
	p.Spec.States.MaintenanceRequired.Transitions = []v1beta1.ProfileTransition{{Name: "a", Triggers: []string{"cordon"}, Next: v1beta1.ProfileInMaintenance}}
	p.Spec.States.InMaintenance.Enter = []string{"drain"}
	p.Spec.States.InMaintenance.Transitions = []v1beta1.ProfileTransition{{Name: "b", Triggers: []string{"uncordon"}, Next: v1beta1.ProfileOperational}}
	return p
}

func lease(name, holder string, taken bool) *coordinationv1.Lease {
	l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: name}}
	l.Spec = coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: ptr.To[int32](480), RenewTime: ptr.To(metav1.NewMicroTime(entered))}
	if taken {
		l.Spec.AcquireTime = l.Spec.RenewTime
	}
	return l
}

func TestAdopt(t *testing.T) {
	data := func(current, previous string) string {
		return `{"Profiles":{"Disks":{"Transition":"2026-11-20T11:00:00Z","Current":"` + current + `","Previous":"` + previous + `"}},"Notifications":{}}`
	}
	for name, test := range map[string]struct {
		annotation string
		cordoned   bool
		leases     []*coordinationv1.Lease
		want       Adoption
		wantNone   bool
		wantErr    string
	}{
		"no annotation":   {wantNone: true},
		"another profile": {annotation: `{"Profiles":{},"Notifications":{}}`, wantNone: true},
		"cannot be read":  {annotation: `{"Profiles":{"Disks":null}}`, wantErr: "is null"},
		"operational": {
			annotation: data("operational", "operational"),
			want:       Adoption{State: v1beta1.ProfileOperational, Previous: v1beta1.ProfileOperational, Since: entered, Hold: v1beta1.StageIdle},
		},
		"in the middle of a drain": {
			annotation: data("in-maintenance", "maintenance-required"), cordoned: true,
			want: Adoption{
				State: v1beta1.ProfileInMaintenance, Previous: v1beta1.ProfileMaintenanceRequired, Since: entered, EnterPending: true,
				Hold: v1beta1.StageDrain, Cordoned: true,
			},
		},
		"drained": {
			annotation: data("in-maintenance", "in-maintenance"), cordoned: true,
			leases: []*coordinationv1.Lease{lease("step-0", "worker-1", true), lease("step-1", "worker-2", false), lease("step-2", "worker-3", true)},
			want: Adoption{
				State: v1beta1.ProfileInMaintenance, Previous: v1beta1.ProfileInMaintenance, Since: entered, Hold: v1beta1.StageDrain, Cordoned: true,
				Pools: []v1beta1.LedgerPool{{Name: "kube-system/step", Grants: []v1beta1.LedgerGrant{
					{Node: "worker-1", Profile: "disks", Time: metav1.NewMicroTime(entered), Seconds: 480},
				}}},
			},
		},
		"operational, cordoned by a person": {
			annotation: data("operational", "operational"), cordoned: true,
			want: Adoption{State: v1beta1.ProfileOperational, Previous: v1beta1.ProfileOperational, Since: entered, Hold: v1beta1.StageIdle},
		},
		"waits": {
			annotation: data("maintenance-required", "maintenance-required"),
			want: Adoption{
				State: v1beta1.ProfileMaintenanceRequired, Previous: v1beta1.ProfileMaintenanceRequired, Since: entered, Hold: v1beta1.StageIdle,
			},
		},
		"in the middle of a transition": {
			annotation: data("maintenance-required", "maintenance-required"), cordoned: true,
			want: Adoption{
				State: v1beta1.ProfileMaintenanceRequired, Previous: v1beta1.ProfileMaintenanceRequired, Since: entered, Hold: v1beta1.StageIdle,
				Cordoned: true,
				Warnings: []string{"node worker-1 is cordoned: that is taken for the beginning of the transition a, so the node is uncordoned when its maintenance ends"},
			},
		},
		"uncordoned by hand": {
			annotation: data("in-maintenance", "in-maintenance"),
			want: Adoption{
				State: v1beta1.ProfileInMaintenance, Previous: v1beta1.ProfileInMaintenance, Since: entered, Hold: v1beta1.StageDrain,
				Warnings: []string{"node worker-1 should be cordoned in InMaintenance, but is not: it is taken out of service again"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1", Annotations: map[string]string{Annotation: test.annotation}}}
			node.Spec.Unschedulable = test.cordoned
			got, ok, err := Adopt(node, test.leases, sapProfile())
			if (err == nil) != (test.wantErr == "") || err != nil && !strings.Contains(err.Error(), test.wantErr) {
				t.Fatalf("error %v, want %q", err, test.wantErr)
			}
			if want := !test.wantNone && test.wantErr == ""; ok != want {
				t.Fatalf("adopted %t, want %t", ok, want)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What the mirrors have written tells nothing of a profile but since when it is operational: somebody else may have cordoned
// the node by now.
func TestAdoptSince(t *testing.T) {
	for current, want := range map[string]bool{"operational": true, "in-maintenance": false} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1", Annotations: map[string]string{
			Annotation: `{"Profiles":{"Disks":{"Transition":"2026-11-20T11:00:00Z","Current":"` + current + `","Previous":"` + current + `"}},"Notifications":{}}`,
		}}, Spec: corev1.NodeSpec{Unschedulable: true}}
		got, found := AdoptSince(node, sapProfile())
		wanted := Adoption{}
		if want {
			wanted = Adoption{State: v1beta1.ProfileOperational, Previous: v1beta1.ProfileOperational, Since: entered, Hold: v1beta1.StageIdle, SinceOnly: true}
		}
		if diff := cmp.Diff(wanted, got, cmpopts.EquateEmpty()); found != want || diff != "" {
			t.Errorf("%s: found %t, (-want +got):\n%s", current, found, diff)
		}
	}
}

func TestSentBefore(t *testing.T) {
	p := sapProfile()
	p.Spec.Notifiers = []v1beta1.ProfileNotifier{{Name: "to_ops"}, {Name: "chat"}, {Name: "new"}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1", Annotations: map[string]string{
		Annotation: `{"Profiles":{"Disks":{"Transition":"2026-11-20T11:00:00Z","Current":"operational","Previous":"operational"}},` +
			`"Notifications":{"to-ops":"2026-11-20T11:00:00Z","chat":"0001-01-01T00:00:00Z","other":"2026-11-20T11:00:00Z"}}`,
	}}}
	got, _, err := Adopt(node, nil, p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]time.Time{"to_ops": entered}, got.Sent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestForeignCordon(t *testing.T) {
	p := sapProfile()
	p.Spec.States.InMaintenance.Enter, p.Spec.States.MaintenanceRequired.Transitions = nil, nil
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1", Annotations: map[string]string{
		Annotation: `{"Profiles":{"Disks":{"Transition":"0001-01-01T00:00:00Z","Current":"in-maintenance","Previous":"in-maintenance"}},"Notifications":{}}`,
	}}}
	node.Spec.Unschedulable = true
	got, _, err := Adopt(node, nil, p)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"node worker-1 is cordoned, but not by this profile: it stays so when its maintenance ends",
		"the annotation does not say since when: waits begin anew",
	}
	if diff := cmp.Diff(want, got.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
