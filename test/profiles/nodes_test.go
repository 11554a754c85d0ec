// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// A drain that takes long asks for no second place in the stagger: checks are not asked again once a transition is
// recorded. Others wait meanwhile.
func TestStaggerIsSpentOnceWhileADrainIsBlocked(t *testing.T) {
	p := newPool(t, 2)
	slow, other := p.Nodes[0], p.Nodes[1]
	p.block(t, slow)
	profile := p.profile(t, "apart", `
checks:
- {name: needed, nodeLabel: {key: needed}}
- {name: apart, stagger: {pool: POOL, seconds: 3600}}
triggers:
- {name: cordon, hold: {stage: Cordon}}
- {name: drain, hold: {stage: Drain}}
states:
  operational:
    transitions: [{name: start, check: needed && apart, triggers: [cordon, drain], next: InMaintenance}]
  inMaintenance:
    transitions: [{name: done, check: "!needed", next: Operational}]
`)
	p.label(t, slow, "needed=yes")
	p.wait(t, profile, slow, "the drain is blocked", func(s *v1beta1.NodeProfileStatus) bool {
		return s.Transition != nil && len(s.Transition.Steps) == 2 && s.Transition.Steps[0].State == v1beta1.StepDone &&
			s.Transition.Steps[1].State == v1beta1.StepRunning && s.Transition.Steps[1].Message != ""
	})
	p.label(t, other, "needed=yes")
	p.wait(t, profile, other, "the other node waits for the stagger", func(s *v1beta1.NodeProfileStatus) bool {
		return s.State == v1beta1.ProfileOperational && len(s.Transitions) == 1 &&
			strings.Contains(s.Transitions[0].WaitingFor, "pool "+p.Name+" has 1 of 1 place taken ("+slow+")")
	})
	p.unblock(t)
	p.is(t, profile, slow, v1beta1.ProfileInMaintenance)
	if places := p.places(t); places != 1 {
		t.Errorf("the pool has %d places taken, want 1", places)
	}
}

// places is how many places of the test's pool of staggers are taken.
func (p *pool) places(t *testing.T) int {
	t.Helper()
	ledger, err := p.Maintenance.MaintenanceV1beta1().MaintenanceLedgers().Get(t.Context(), v1beta1.LedgerName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, pool := range ledger.Spec.Pools {
		if pool.Name == p.Name {
			return len(pool.Grants)
		}
	}
	return 0
}

// Two transitions to the same state have their own triggers.
func TestTransitionsToOneStateHaveTheirOwnTriggers(t *testing.T) {
	p := newPool(t, 1)
	profile := p.profile(t, "two", `
checks:
- {name: one, nodeLabel: {key: one}}
- {name: two, nodeLabel: {key: two}}
triggers:
- {name: mark_one, patchNode: {labels: {marked: one}}}
- {name: mark_two, patchNode: {labels: {marked: two}}}
states:
  operational:
    transitions:
    - {name: first, check: one, triggers: [mark_one], next: MaintenanceRequired}
    - {name: second, check: two, triggers: [mark_two], next: MaintenanceRequired}
  maintenanceRequired:
    transitions: [{name: back, check: "!one && !two", next: Operational}]
`)
	p.label(t, p.Nodes[0], "two=yes")
	p.is(t, profile, p.Nodes[0], v1beta1.ProfileMaintenanceRequired)
	if got := p.Node(t, p.Nodes[0]).Labels["marked"]; got != "two" {
		t.Errorf("the node is marked by %q, want by the second transition", got)
	}
}

// A check that ends in an error matters only if the others do not decide. It holds up neither another transition nor
// another profile.
func TestErrorOfACheckHoldsUpNothingElse(t *testing.T) {
	p := newPool(t, 1)
	broken := p.profile(t, "broken", `
checks:
- {name: broken, clusterVersion: {labelKey: no-such-label}}
- {name: needed, nodeLabel: {key: needed}}
states:
  operational:
    transitions:
    - {name: never, check: broken, next: InMaintenance}
    - {name: required, check: broken || needed, next: MaintenanceRequired}
  maintenanceRequired:
    transitions: [{name: back, check: broken, next: Operational}]
`)
	healthy := p.profile(t, "healthy", cycle)
	p.label(t, p.Nodes[0], "needed=yes")
	p.is(t, healthy, p.Nodes[0], v1beta1.ProfileMaintenanceRequired)
	p.wait(t, broken, p.Nodes[0], "the error is shown, and was passed over", func(s *v1beta1.NodeProfileStatus) bool {
		return s.State == v1beta1.ProfileMaintenanceRequired && len(s.Checks) == 1 && s.Checks[0].Result == v1beta1.CheckError
	})
}

// A node that is deleted in the middle of its maintenance and comes again under its name is another one: it needs no
// maintenance, and nothing of the old one's holds it.
func TestNodeIsBornAgainInMaintenance(t *testing.T) {
	p := newPool(t, 1)
	profile := p.profile(t, "born", cycle)
	p.label(t, p.Nodes[0], "needed=yes", "allowed=yes")
	before := p.is(t, profile, p.Nodes[0], v1beta1.ProfileInMaintenance)
	if err := p.Kube.CoreV1().Nodes().Delete(t.Context(), p.Nodes[0], metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	p.wait(t, profile, p.Nodes[0], "it keeps its state", func(s *v1beta1.NodeProfileStatus) bool {
		return s.NodeGoneTime != nil && s.State == v1beta1.ProfileInMaintenance
	})
	options := localcluster.NodeOptions{Count: 1, NamePrefix: p.Name + "-", Labels: map[string]string{env.PoolLabel: p.Name}}
	if err := p.Cluster.AddNodes(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	p.wait(t, profile, p.Nodes[0], "the new node begins anew", func(s *v1beta1.NodeProfileStatus) bool {
		return s.NodeUID != before.Status.NodeUID && s.State == v1beta1.ProfileOperational && s.Hold == nil
	})
	p.WaitUntilClean(t)
	env.Eventually(t, "the ledger forgets the old node", func(ctx context.Context) string {
		ledger, err := p.Maintenance.MaintenanceV1beta1().MaintenanceLedgers().Get(ctx, v1beta1.LedgerName, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if p.inMaintenance(ledger) > 0 {
			return "it is there still"
		}
		return ""
	})
}

// A node that a person holds, too, is given back when the last of the two lets it go.
func TestHoldOfAPersonOutlivesThatOfAProfile(t *testing.T) {
	p := newPool(t, 1)
	profile := p.profile(t, "both", cycle)
	p.label(t, p.Nodes[0], "needed=yes", "allowed=yes")
	p.is(t, profile, p.Nodes[0], v1beta1.ProfileInMaintenance)
	hold := p.Hold("person", p.Nodes[0])
	hold.Spec.Stage = v1beta1.StageCordon
	p.Create(t, hold)
	p.label(t, p.Nodes[0], "needed-")
	p.wait(t, profile, p.Nodes[0], "the profile has let it go", func(s *v1beta1.NodeProfileStatus) bool {
		return s.State == v1beta1.ProfileOperational && s.Hold == nil
	})
	if !env.Cordoned(p.Node(t, p.Nodes[0])) {
		t.Error("the node was given back, although a person holds it")
	}
	p.Delete(t, hold.Name)
	p.WaitUntilClean(t)
}

// A profile in a dry run says what it would do, and does nothing. Once it is Active, it does it.
func TestDryRunChangesNothing(t *testing.T) {
	p := newPool(t, 1)
	profile := p.profile(t, "dry", "mode: DryRun\n"+cycle)
	p.label(t, p.Nodes[0], "needed=yes", "allowed=yes")
	p.waits(t, profile, p.Nodes[0], v1beta1.ProfileOperational, "nothing is done (DryRun): the transition required to MaintenanceRequired would be taken")
	if marks := env.MarksOn(p.Node(t, p.Nodes[0])); marks != "" {
		t.Errorf("the node has %s", marks)
	}
	p.change(t, profile, `{"spec":{"mode":"Active"}}`)
	p.is(t, profile, p.Nodes[0], v1beta1.ProfileInMaintenance)
}
