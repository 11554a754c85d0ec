// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// asked asks two people before a node comes into maintenance.
const asked = `
checks:
- {name: needed, nodeLabel: {key: needed}}
- {name: approved, approval: {approvers: 2}}
states:
  operational:
    transitions: [{name: required, check: needed, next: MaintenanceRequired}]
  maintenanceRequired:
    transitions: [{name: start, check: approved, next: InMaintenance}]
  inMaintenance:
    hold: {stage: Cordon}
    transitions: [{name: done, check: "!needed", next: Operational}]
`

// decide posts what a user decides of a NodeProfile. All may do everything: who may is the matter of other tests.
func (p *pool) decide(t *testing.T, user, name string, decision v1beta1.NodeProfileDecision) error {
	client := p.MaintenanceAs(t, user+"-"+p.Name, "system:masters").MaintenanceV1beta1().NodeProfiles()
	_, err := client.CreateDecision(t.Context(), name, &decision, metav1.CreateOptions{})
	return err
}

func (p *pool) withdraw(t *testing.T, user, name string) {
	t.Helper()
	client := p.MaintenanceAs(t, user+"-"+p.Name, "system:masters").MaintenanceV1beta1().RESTClient()
	if err := client.Delete().Resource("nodeprofiles").Name(name).SubResource("decision").Do(t.Context()).Error(); err != nil {
		t.Fatalf("could not withdraw the decision: %v", err)
	}
}

// Of approvals and a veto that come at the same moment, none is lost, and the veto counts. What was approved in one cycle
// opens no later one.
func TestApprovalsRaceAVeto(t *testing.T) {
	p := newPool(t, 1)
	node := p.Nodes[0]
	profile := p.profile(t, "asked", asked)
	p.label(t, node, "needed=yes")
	p.waits(t, profile, node, v1beta1.ProfileMaintenanceRequired, "0 of 2 approvals")
	seen := p.is(t, profile, node, v1beta1.ProfileMaintenanceRequired)
	veto := v1beta1.NodeProfileDecision{Decision: v1beta1.ProfileVeto, Sequence: seen.Status.Sequence, Reason: "the sale"}
	if err := p.decide(t, "eve", seen.Name, veto); err != nil {
		t.Fatal(err)
	}
	approval := v1beta1.NodeProfileDecision{Decision: v1beta1.ProfileApprove, Sequence: seen.Status.Sequence}
	p.decideAtOnce(t, seen.Name, approval, veto)
	p.waits(t, profile, node, v1beta1.ProfileMaintenanceRequired, "vetoed by ")
	p.wait(t, profile, node, "all five have decided", func(s *v1beta1.NodeProfileStatus) bool { return len(s.Decisions) == 5 })
	p.withdraw(t, "eve", seen.Name)
	p.waits(t, profile, node, v1beta1.ProfileMaintenanceRequired, "vetoed by mallory-"+p.Name+": the sale")
	p.withdraw(t, "mallory", seen.Name)
	in := p.is(t, profile, node, v1beta1.ProfileInMaintenance)
	if last := in.Status.History[len(in.Status.History)-1]; len(last.ApprovedBy) != 3 {
		t.Errorf("approved by %v, want by three", last.ApprovedBy)
	}
	if err := p.decide(t, "ada", seen.Name, approval); !apierrors.IsConflict(err) {
		t.Errorf("an approval of the state before: got %v, want a conflict", err)
	}
	p.label(t, node, "needed-")
	p.is(t, profile, node, v1beta1.ProfileOperational)
	p.label(t, node, "needed=yes")
	p.waits(t, profile, node, v1beta1.ProfileMaintenanceRequired, "0 of 2 approvals")
}

// decideAtOnce has three people approve and one veto at the same moment.
func (p *pool) decideAtOnce(t *testing.T, name string, approval, veto v1beta1.NodeProfileDecision) {
	t.Helper()
	decisions := map[string]v1beta1.NodeProfileDecision{"ada": approval, "bob": approval, "cy": approval, "mallory": veto}
	var deciding sync.WaitGroup
	for user, decision := range decisions {
		deciding.Go(func() {
			if err := p.decide(t, user, name, decision); err != nil {
				t.Errorf("%s: %v", user, err)
			}
		})
	}
	deciding.Wait()
}

// A push passes the checks, and an abort gives up what it has begun. What began is not undone: the hold of a trigger
// stays until the node is Operational.
func TestPushAndAbort(t *testing.T) {
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.block(t, node)
	profile := p.profile(t, "pushed", `
checks:
- {name: never, nodeLabel: {key: never}}
- {name: approved, approval: {}}
triggers:
- {name: drain, hold: {stage: Drain}}
- {name: mark, patchNode: {labels: {marked: "yes"}}}
states:
  operational:
    transitions: [{name: start, check: never && approved, next: InMaintenance}]
  inMaintenance:
    enter: [drain, mark]
    transitions: [{name: done, check: never, next: Operational}]
`)
	first := p.wait(t, profile, node, "it is evaluated", func(s *v1beta1.NodeProfileStatus) bool { return len(s.Transitions) == 1 })
	push := v1beta1.NodeProfileDecision{Decision: v1beta1.ProfilePush, Transition: "start", Sequence: first.Status.Sequence, Reason: "a hole"}
	if err := p.decide(t, "ada", first.Name, push); err != nil {
		t.Fatal(err)
	}
	in := p.wait(t, profile, node, "the drain is blocked", func(s *v1beta1.NodeProfileStatus) bool {
		return s.State == v1beta1.ProfileInMaintenance && s.Transition != nil && s.Hold != nil && s.Hold.Reached == v1beta1.StageCordon
	})
	abort := v1beta1.NodeProfileDecision{Decision: v1beta1.ProfileAbort, Sequence: in.Status.Sequence, Reason: "not today"}
	if err := p.decide(t, "bob", in.Name, abort); err != nil {
		t.Fatal(err)
	}
	back := p.wait(t, profile, node, "the node is given back", func(s *v1beta1.NodeProfileStatus) bool {
		return s.State == v1beta1.ProfileOperational && s.Transition == nil && s.Hold == nil
	})
	p.WaitUntilClean(t)
	if got, want := told(back, "bob-"+p.Name), "Done, Aborted by bob: not today"; got != want {
		t.Errorf("the history says %q, want %q", got, want)
	}
	if p.Node(t, node).Labels["marked"] != "" {
		t.Error("a step was done that had not begun")
	}
}

// told is what the history says, in short.
func told(nodeProfile *v1beta1.NodeProfile, user string) string {
	var all []string
	for _, ended := range nodeProfile.Status.History {
		text := string(ended.Result)
		if ended.By == user {
			text += fmt.Sprintf(" by bob: %s", ended.Reason)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// One who has no permission for the node decides nothing there.
func TestStrangersDecideNothing(t *testing.T) {
	p := newPool(t, 1)
	profile := p.profile(t, "asked", asked)
	seen := p.is(t, profile, p.Nodes[0], v1beta1.ProfileOperational)
	client := env.Current(t).MaintenanceAs(t, "stranger-"+p.Name).MaintenanceV1beta1().NodeProfiles()
	approval := v1beta1.NodeProfileDecision{Decision: v1beta1.ProfileApprove, Sequence: seen.Status.Sequence}
	if _, err := client.CreateDecision(t.Context(), seen.Name, &approval, metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want forbidden", err)
	}
}
