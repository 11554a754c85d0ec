// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/aggregate"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// scene is what a test evaluates: profile p on node w-1, in the state MaintenanceRequired, sequence 3.
type scene struct {
	evaluation.Facts
	aggregate    *aggregate.Aggregate
	nodes        []*corev1.Node
	profiles     []*v1beta1.MaintenanceProfile
	nodeProfiles []*v1beta1.NodeProfile
}

// change is what is special in a test.
type change func(*scene)

func newScene(t *testing.T, changes ...change) *scene {
	t.Helper()
	s := &scene{Facts: evaluation.Facts{
		Now: at("2026-11-22T12:00:00Z"), Profile: &v1beta1.MaintenanceProfile{ObjectMeta: metav1.ObjectMeta{Name: "p"}},
		Node: newNode("w-1", nil), NodeProfile: onNode("w-1", "p", v1beta1.ProfileMaintenanceRequired),
	}}
	s.NodeProfile.Status.Sequence = 3
	for _, change := range changes {
		change(s)
	}
	return s
}

// facts are the facts of the scene, with the aggregate of all of its objects.
func (s *scene) facts(t *testing.T) evaluation.Facts {
	t.Helper()
	a := aggregate.New()
	for _, p := range append(s.profiles, s.Profile) {
		a.SetProfile(p)
	}
	if s.Node != nil {
		a.SetNode(s.Node)
	}
	for _, node := range s.nodes {
		a.SetNode(node)
	}
	for _, np := range append(s.nodeProfiles, s.NodeProfile) {
		a.SetNodeProfile(np)
	}
	a.View(func(c evaluation.Cluster) { s.Cluster = c }) // nothing changes meanwhile
	s.aggregate = a
	return s.Facts
}

// askOne evaluates a check alone, and returns what it says: True: message, and when that may change.
func askOne(t *testing.T, c v1beta1.ProfileCheck, changes ...change) string {
	t.Helper()
	s := newScene(t)
	c.Name = "c"
	s.Profile.Spec.Checks = []v1beta1.ProfileCheck{c}
	s.Profile.Spec.States = everywhere(v1beta1.ProfileTransition{Name: "t", Check: "c"})
	for _, change := range changes {
		change(s)
	}
	outcome := evaluation.Evaluate(s.facts(t))
	got := outcome.Checks[0]
	text := fmt.Sprintf("%s: %s", got.Result, got.Message)
	if !got.Again.IsZero() {
		text += " | " + got.Again.UTC().Format(time.RFC3339)
	}
	return text
}

// everywhere has the transition lead out of each state.
func everywhere(t v1beta1.ProfileTransition) v1beta1.ProfileStates {
	out := func(next v1beta1.ProfileState) v1beta1.ProfileStateSpec {
		t.Next = next
		return v1beta1.ProfileStateSpec{Transitions: []v1beta1.ProfileTransition{t}}
	}
	return v1beta1.ProfileStates{
		Operational:         out(v1beta1.ProfileMaintenanceRequired),
		MaintenanceRequired: out(v1beta1.ProfileInMaintenance),
		InMaintenance:       out(v1beta1.ProfileOperational),
	}
}

func at(text string) time.Time {
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return parsed
}

func newNode(name string, labels map[string]string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
}

func onNode(node, profile string, state v1beta1.ProfileState) *v1beta1.NodeProfile {
	return &v1beta1.NodeProfile{
		ObjectMeta: metav1.ObjectMeta{Name: node + "." + profile},
		Spec:       v1beta1.NodeProfileSpec{NodeName: node, Profile: profile},
		Status:     v1beta1.NodeProfileStatus{State: state, Sequence: 1},
	}
}

func now(text string) change { return func(s *scene) { s.Now = at(text) } }

func since(text string) change {
	return func(s *scene) { s.NodeProfile.Status.Since = &metav1.Time{Time: at(text)} }
}

func in(state v1beta1.ProfileState) change {
	return func(s *scene) { s.NodeProfile.Status.State = state }
}

func labelled(labels map[string]string) change {
	return func(s *scene) { s.Node.Labels = labels }
}

func other(name string, labels map[string]string) change {
	return func(s *scene) { s.nodes = append(s.nodes, newNode(name, labels)) }
}

func carries(node, profile string, state v1beta1.ProfileState) change {
	return func(s *scene) { s.nodeProfiles = append(s.nodeProfiles, onNode(node, profile, state)) }
}

func noNode(s *scene) { s.Node = nil }

// inLedger has a profile be InMaintenance on a node since a time, by the ledger.
func inLedger(node, profile, since string) change {
	return func(s *scene) {
		s.Ledger.InMaintenance = append(s.Ledger.InMaintenance, v1beta1.LedgerProfile{
			Node: node, Profile: profile, Sequence: 2, Attempt: 1, Since: metav1.NewMicroTime(at(since)),
		})
	}
}

func decided(d v1beta1.RecordedDecision) change {
	return func(s *scene) {
		if d.Sequence == 0 {
			d.Sequence = s.NodeProfile.Status.Sequence
		}
		s.NodeProfile.Status.Decisions = append(s.NodeProfile.Status.Decisions, d)
	}
}

func expires(text string) *metav1.Time { return &metav1.Time{Time: at(text)} }
