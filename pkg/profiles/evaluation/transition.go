// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

// transition is the result of one transition. An error of it is nobody else's matter.
func (e *evaluation) transition(t *transition) TransitionResult {
	result := TransitionResult{Name: t.Name, Next: t.Next}
	if t.err != nil {
		result.Result, result.WaitingFor = Error, sentence("its check cannot be applied: %v", t.err)
		return result
	}
	result.Result, result.Decisive = t.chain.EvaluateSparing(
		func(name string) Result { return e.ask(name, t.Name).Result },
		e.isStagger,
	)
	e.againAfterDecisions(t.Name)
	if result.Result == True {
		result.Blocked = e.blocked(*t)
	}
	result.WaitingFor = e.waitingFor(t, &result)
	return result
}

// waitingFor says what keeps a transition from being taken: its checks, or what blocks it although they pass, or although
// somebody has pushed it.
func (e *evaluation) waitingFor(t *transition, result *TransitionResult) string {
	push := e.pushed(t.Name)
	switch {
	case result.Result == True:
		return result.Blocked
	case push != nil && e.blockedAlways(*t) != "":
		return sentence("pushed by %s, but %s", push.By, e.blockedAlways(*t))
	}
	reasons := e.reasons(t.Name, append(e.missingApprovals(t), result.Decisive...))
	if veto := e.veto(t.Name); veto != nil {
		return vetoed(veto) + "; " + reasons
	}
	return reasons
}

// missingApprovals are the approvals that are asked for whatever else the other checks say. What a person must do is said
// first, and before its turn comes: else the place would wait for somebody to notice.
func (e *evaluation) missingApprovals(t *transition) (missing []string) {
	for _, assumed := range []Result{True, False} {
		result, decisive := t.chain.Evaluate(func(name string) Result {
			if e.isApproval(name) {
				return e.ask(name, t.Name).Result
			}
			return assumed
		})
		for _, name := range decisive {
			if result == False && e.isApproval(name) && !slices.Contains(missing, name) {
				missing = append(missing, name)
			}
		}
	}
	return missing
}

// reasons says what the decisive checks say. One that passes, and yet keeps the transition from being taken, stands under
// a "!".
func (e *evaluation) reasons(transition string, decisive []string) string {
	var reasons, said []string
	for _, name := range decisive {
		if slices.Contains(said, name) {
			continue
		}
		said = append(said, name)
		asked := e.ask(name, transition)
		if asked.Result == True {
			name = "!" + name
		}
		reasons = append(reasons, fmt.Sprintf("%s: %s", name, asked.Message))
	}
	return sentence("%s", strings.Join(reasons, "; "))
}

// blocked says in a sentence what keeps a transition from being taken whose checks pass; empty: nothing.
func (e *evaluation) blocked(t transition) string {
	if always := e.blockedAlways(t); always != "" {
		return always
	}
	if reached := e.HoldReached; !e.from.isReached(reached) {
		if reached == "" {
			reached = v1beta1.StageIdle
		}
		return sentence("the hold has reached %s, and must reach %s before the state can be left", reached, e.from.hold)
	}
	return ""
}

// blockedAlways is blocked for a transition that was pushed, too: a person has decided not to wait for the hold.
func (e *evaluation) blockedAlways(t transition) string {
	if veto := e.veto(t.Name); veto != nil {
		return vetoed(veto)
	}
	if t.Next != v1beta1.ProfileInMaintenance {
		return ""
	}
	if other := e.otherInMaintenance(); other != "" {
		return sentence("profile %s is in maintenance on this node", other)
	}
	return ""
}

// vetoed says who has said no, until when, and why.
func vetoed(veto *v1beta1.RecordedDecision) string {
	until := ""
	if end := endOf(veto); !end.IsZero() {
		until = " until " + moment(end)
	}
	return sentence("vetoed by %s%s: %s", veto.By, until, veto.Reason)
}

// otherInMaintenance returns another profile that has the node; empty if none does. The ledger decides. A NodeProfile that
// was adopted may have its state before the ledger has the entry.
func (f *Facts) otherInMaintenance() string {
	for _, entry := range f.Ledger.InMaintenance {
		if entry.Node == f.nodeName() && entry.Profile != f.Profile.Name {
			return entry.Profile
		}
	}
	for _, sibling := range f.Siblings {
		if sibling.Status.State == v1beta1.ProfileInMaintenance {
			return sibling.Spec.Profile
		}
	}
	return ""
}

// againAfterDecisions has the outcome looked at again when the last veto of a transition has expired, or what has pushed it.
// Approvals are followed by their check.
func (e *evaluation) againAfterDecisions(transition string) {
	for _, decision := range []*v1beta1.RecordedDecision{e.veto(transition), e.pushed(transition)} {
		if decision != nil {
			e.again = due.Earlier(e.again, endOf(decision))
		}
	}
}

// isReached says whether a hold is far enough for the state to be left. A stage that this version does not know is never
// reached.
func (s *state) isReached(stage v1beta1.MaintenanceStage) bool {
	if s.hold == "" || stage == s.hold {
		return true
	}
	return s.hold == v1beta1.StageCordon && stage == v1beta1.StageDrain
}

// waiting says what the node waits for; empty: nothing. An Operational node waits for no maintenance, so that only what
// keeps it from being decided is said.
func (e *evaluation) waiting(outcome *Outcome) string {
	if outcome.Winner >= 0 {
		return ""
	}
	var reasons []string
	for _, t := range onward(e.state(), outcome.Transitions) {
		if t.Result != False || e.state() != v1beta1.ProfileOperational {
			reasons = append(reasons, t.WaitingFor)
		}
	}
	return sentence("%s", strings.Join(reasons, "; or "))
}

// onward are the transitions that lead on to maintenance; all of them if none does, or if the node is in maintenance.
func onward(from v1beta1.ProfileState, transitions []TransitionResult) []TransitionResult {
	on := slices.DeleteFunc(slices.Clone(transitions), func(t TransitionResult) bool {
		return t.Next == v1beta1.ProfileOperational
	})
	if len(on) == 0 || from == v1beta1.ProfileInMaintenance {
		return transitions
	}
	return on
}

func sortedKeys(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
