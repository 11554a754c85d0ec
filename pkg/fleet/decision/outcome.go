// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// outcome is what was decided.
func (s *state) outcome() Outcome {
	out := Outcome{
		Ledger: s.ledger(), Holds: map[types.UID]HoldOutcome{}, Planned: map[string]bool{}, Policies: map[string]PolicyOutcome{},
		Check: s.check, Leaving: s.leaving(),
	}
	places := s.places()
	for _, h := range s.holds {
		answer, told := s.answer(h)
		if !told {
			continue
		}
		if len(answer.Waits) > 0 {
			f := s.forecast(h, answer.Waits)
			answer.Earliest = f.earliest(s.now)
			answer.Positions = places[h]
			if s.plan(h, f) {
				out.Planned[h.node.Name] = true
			}
		}
		out.Holds[h.UID] = answer
	}
	for _, p := range s.policies {
		out.Policies[p.name] = s.policyOutcome(p)
	}
	out.Again = s.again
	return out
}

// answer says how far a hold may go, and what it waits for. Nobody is told anything of a hold that no policy concerns.
func (s *state) answer(h *hold) (answer HoldOutcome, told bool) {
	answer = HoldOutcome{Stage: wanted(h.NodeMaintenance)}
	if had := s.admitted(h); had != nil && (h.node == nil || !s.formerNode(h.node)) {
		answer.AdmittedTime, answer.Approved, answer.Bypassed = had.Time.Time, had.Approved, had.Bypassed
		answer.Stage = had.Stage
		if s.asks(h) {
			answer.Waits = s.waits(h)
		}
		return answer, true
	}
	switch {
	case len(s.policies) == 0 && s.entries[h.Spec.NodeName] == nil, h.node != nil && !s.asks(h):
		return s.answerAlone(h, answer)
	case !h.takesOut():
		return answer, true
	default:
		answer.Stage, answer.Waits = v1beta1.StageIdle, s.waits(h)
		return answer, true
	}
}

// answerAlone is the answer for a hold that asks no policy. It may still wait for its own reasons.
func (s *state) answerAlone(h *hold, answer HoldOutcome) (HoldOutcome, bool) {
	if !h.takesOut() || h.Spec.NotBefore == nil {
		return answer, h.node != nil && len(h.node.policies) > 0
	}
	if h.node != nil && h.hasTaken() {
		answer.AdmittedTime = h.takenSince(s.now).Time
		return answer, true
	}
	if s.now.Before(h.Spec.NotBefore.Time) {
		s.wake(h.Spec.NotBefore.Time)
		answer.Stage = v1beta1.StageIdle
		answer.Waits = []v1beta1.AdmissionWait{notBeforeWait(h)}
		return answer, true
	}
	answer.AdmittedTime = latest(h.Spec.NotBefore.Time, h.CreationTimestamp.Time)
	return answer, true
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
