// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// held drains the node when it needs maintenance, and then marks it. It is for the nodes with the label mine.
const held = `
nodes: {selector: {matchLabels: {test-pool: POOL, mine: "yes"}}}
checks:
- {name: needed, nodeLabel: {key: needed}}
triggers:
- {name: drain, hold: {stage: Drain}}
- {name: mark, patchNode: {labels: {marked: before}}}
states:
  operational:
    transitions: [{name: required, check: needed, triggers: [drain, mark], next: MaintenanceRequired}]
  maintenanceRequired:
    transitions: [{name: back, check: "!needed", next: Operational}]
`

// stepTest changes something of a profile while a step of it is being done on a node: the drain, which is blocked.
type stepTest struct {
	change func(t *testing.T, p *pool, profile string)
	// wantMark is the label that the next step sets; empty: it is not done any more.
	wantMark string
	// wantGone says that the profile leaves the node once it needs no maintenance, or at once if there is no mark.
	wantGone bool
}

var stepTests = map[string]stepTest{
	"edited": {
		change: func(t *testing.T, p *pool, profile string) {
			p.change(t, profile, `{"spec":{"triggers":[{"name":"drain","hold":{}},{"name":"mark","patchNode":{"labels":{"marked":"after"}}}]}}`)
		},
		wantMark: "before",
	},
	"detached": {
		change:   func(t *testing.T, p *pool, _ string) { p.label(t, p.Nodes[0], "mine-") },
		wantMark: "before", wantGone: true,
	},
	"deleted": {change: deleteProfile, wantMark: "before", wantGone: true},
	"deleted with Release": {
		change: func(t *testing.T, p *pool, profile string) {
			p.change(t, profile, `{"spec":{"onDetach":"Release"}}`)
			deleteProfile(t, p, profile)
		},
		wantGone: true,
	},
}

func deleteProfile(t *testing.T, p *pool, profile string) {
	if err := p.profiles().Delete(t.Context(), profile, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// What was recorded is done as it was recorded, whatever becomes of the profile.
func TestProfileChangesWhileAStepIsDone(t *testing.T) {
	for name, test := range stepTests {
		t.Run(name, func(t *testing.T) { test.run(t) })
	}
}

func (test stepTest) run(t *testing.T) {
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.block(t, node)
	profile := p.profile(t, "held", held)
	p.label(t, node, "mine=yes", "needed=yes")
	p.wait(t, profile, node, "the drain is being done", func(s *v1beta1.NodeProfileStatus) bool {
		return s.Transition != nil && s.Transition.Steps[0].State == v1beta1.StepRunning && s.Hold != nil && s.Hold.Reached == v1beta1.StageCordon
	})
	test.change(t, p, profile)
	if test.wantMark != "" {
		p.unblock(t)
		p.is(t, profile, node, v1beta1.ProfileMaintenanceRequired)
		p.label(t, node, "needed-")
	}
	if test.wantGone {
		p.gone(t, profile, node)
	}
	p.WaitUntilClean(t)
	if got := p.Node(t, node).Labels["marked"]; got != test.wantMark {
		t.Errorf("the node is marked %q, want %q", got, test.wantMark)
	}
}
