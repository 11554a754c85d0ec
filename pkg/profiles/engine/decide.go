// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/places"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/selection"
)

// tryAgain is how long after a transition could not be recorded it is tried again.
const tryAgain = time.Minute

// decide evaluates the checks, and records the transition that follows. What needs the ledger is granted first.
func (t *term) decide(ctx context.Context, v *view) (moved, stop bool, err error) {
	if !t.decides(v) {
		t.admitter.withdraw(v.name)
		t.answers.Forget(v.nodeProfile)
		undecided(v)
		return false, true, nil
	}
	if !t.isVouched(v.profile) {
		return false, true, nil // it is looked at again once that is known
	}
	about := subject{profile: v.profile, nodeProfile: v.nodeProfile, node: v.node, hold: v.hold}
	known := t.admitter.known()
	nodeProfile, spec := t.asThere(v, known)
	about.nodeProfile = nodeProfile
	outcome := t.evaluate(about, spec)
	machine.Report(&v.next.Status, outcome, v.now)
	v.next.Status.ProfileGeneration = v.profile.Generation
	t.answers.Want(v.profile, v.nodeProfile, v.node, outcome.Wants)
	t.admitter.dependsOn(v.name, outcome.Ledger, known)
	switch {
	case !v.acts:
		t.admitter.withdraw(v.name)
		wouldTake(v, about.nodeProfile.Status.State, outcome)
	case t.rests(v, outcome):
		t.admitter.withdraw(v.name)
	case outcome.Winner >= 0 && !needOf(v.profile, outcome).Any():
		t.admitter.withdraw(v.name)
		return t.record(ctx, v, outcome)
	case outcome.Winner >= 0 && t.admitter.granted(v.nodeProfile, needOf(v.profile, outcome)):
		return t.record(ctx, v, outcome)
	case t.isReady(about, outcome, spec):
		if t.offer(v, outcome) {
			v.lookAt(outcome.OwnAgain)
			return false, true, nil
		}
	default:
		t.admitter.withdraw(v.name)
	}
	v.lookAt(outcome.Again)
	return false, true, nil
}

// decides says whether a transition may be decided. A node that is Operational and that the profile selects no more is
// through, and nothing is decided about a node that does not exist.
func (t *term) decides(v *view) bool {
	return v.profile != nil && v.node != nil && !v.paused() &&
		(v.selected || v.nodeProfile.Status.State != v1beta1.ProfileOperational)
}

// undecided says why nothing is decided.
func undecided(v *view) {
	switch {
	case v.node == nil:
		v.next.Status.WaitingFor = "the node does not exist"
	case v.paused():
		v.next.Status.WaitingFor = fmt.Sprintf("nothing is done (%s)", v.idleReason)
	}
}

func needOf(profile *v1beta1.MaintenanceProfile, outcome evaluation.Outcome) places.Need {
	return places.NeedOf(profile, outcome.Transitions[outcome.Winner], outcome.PushedBy != nil)
}

// rests says whether nothing is decided for a while, since a transition was given up. A person can push one meanwhile.
func (t *term) rests(v *view, outcome evaluation.Outcome) bool {
	until := machine.RestsUntil(&v.nodeProfile.Status)
	if !v.now.Before(until) || outcome.Winner < 0 || outcome.PushedBy != nil {
		return false
	}
	v.lookAt(until)
	last := v.nodeProfile.Status.History[len(v.nodeProfile.Status.History)-1]
	v.next.Status.WaitingFor = fmt.Sprintf("the transition %s was aborted (%s): no other one is taken before %s",
		last.Name, last.Message, until.UTC().Format(time.RFC3339))
	return true
}

// isReady says whether only the ledger may keep the NodeProfile from a transition: with an empty one, it would be taken.
func (t *term) isReady(about subject, outcome evaluation.Outcome, spec *v1beta1.MaintenanceLedgerSpec) bool {
	if outcome.Winner >= 0 {
		return true // it waits for its grant
	}
	if outcome.Ledger.Says == "" {
		return false
	}
	without := *spec
	without.InMaintenance, without.Pools = nil, nil
	relaxed := t.evaluate(about, &without)
	return relaxed.Winner >= 0 && needOf(about.profile, relaxed).Any()
}

// offer has the admitter consider the NodeProfile, and says where it is in the queue. If that is known, passes look at what
// time does to the ledger, so that not all that wait are visited whenever a place of a pool is over.
func (t *term) offer(v *view, outcome evaluation.Outcome) (waits bool) {
	candidate := places.Candidate{
		Key: v.name, Priority: v.profile.Spec.Priority, Place: selection.Place(v.node, t.config.Label, v.profile.AliasOrName()),
	}
	if since := v.nodeProfile.Status.Since; since != nil {
		candidate.Since = since.Time
	}
	place, waiting := t.admitter.offer(candidate, outcome.Winner >= 0, outcome.Ledger)
	if place == 0 {
		return false
	}
	v.isFirst = place <= firstPlaces
	said := fmt.Sprintf("%s of %d %s", ordinal(place), waiting, machine.PlaceWords)
	if v.next.Status.WaitingFor == "" {
		v.next.Status.WaitingFor = said
	} else {
		v.next.Status.WaitingFor = said + ": " + v.next.Status.WaitingFor
	}
	return true
}

// record records the transition that was decided. One without triggers is over at once.
func (t *term) record(ctx context.Context, v *view, outcome evaluation.Outcome) (moved, stop bool, err error) {
	defer t.admitter.decided(v.name)
	decided, err := t.decided(ctx, v, outcome)
	if err != nil {
		v.next.Status.WaitingFor = errorText(err)
		v.lookAt(v.now.Add(tryAgain))
		return false, true, nil
	}
	t.answers.Forget(v.nodeProfile) // nothing is evaluated until the transition is over
	machine.Record(v.next, decided, v.now)
	if len(decided.Steps) == 0 {
		defer t.lockTelling(v.nodeProfile.Spec.NodeName)()
		t.enter(ctx, v)
	}
	return true, false, t.write(ctx, v)
}

// decided is the transition that was decided, with all that it needs: what is edited later counts from the next one.
func (t *term) decided(ctx context.Context, v *view, outcome evaluation.Outcome) (machine.Decided, error) {
	winner := outcome.Transitions[outcome.Winner]
	state := machine.StateSpec(v.profile, v.nodeProfile.Status.State)
	if state == nil || outcome.Winner >= len(state.Transitions) {
		return machine.Decided{}, fmt.Errorf("the profile has no transition %s", winner.Name)
	}
	transition := &state.Transitions[outcome.Winner]
	decided := machine.Decided{
		Transition: transition, Decisive: winner.Decisive, Pushed: outcome.PushedBy, ApprovedBy: outcome.ApprovedBy,
	}
	if state.Hold != nil {
		decided.HoldStage = machine.StageOf(state.Hold.Stage)
	}
	for place, name := range transition.Triggers {
		step := machine.Step(v.profile, place, name)
		if step.State == v1beta1.StepFailed {
			return machine.Decided{}, fmt.Errorf("the transition %s cannot be recorded: %s", transition.Name, step.Message)
		}
		if err := t.resolve(ctx, v, &step); err != nil {
			return machine.Decided{}, fmt.Errorf("the transition %s cannot be recorded: %w", transition.Name, err)
		}
		decided.Steps = append(decided.Steps, step)
	}
	return decided, nil
}
