// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// ownWaits are what the hold waits for whatever room there is, but for gates: time, stops and consent.
func (s *state) ownWaits(h *hold) []v1beta1.AdmissionWait {
	var waits []v1beta1.AdmissionWait
	if until := h.Spec.NotBefore; until != nil && s.now.Before(until.Time) {
		waits = append(waits, notBeforeWait(h))
		s.wake(until.Time)
	}
	if h.Spec.BypassPolicies {
		return waits
	}
	for _, p := range h.node.policies {
		for _, wait := range s.policyWaits(p, h) {
			wait.Policy = p.name
			waits = append(waits, wait)
		}
	}
	return waits
}

func notBeforeWait(h *hold) v1beta1.AdmissionWait {
	return v1beta1.AdmissionWait{Reason: v1beta1.AdmissionNotBefore, Message: "not before " + moment(h.Spec.NotBefore.Time)}
}

// policyWaits are what a policy asks for besides room and gates.
func (s *state) policyWaits(p *policy, h *hold) []v1beta1.AdmissionWait {
	var waits []v1beta1.AdmissionWait
	add := func(reason v1beta1.AdmissionReason, message string) {
		waits = append(waits, v1beta1.AdmissionWait{Reason: reason, Message: message})
	}
	if p.invalid != nil {
		add(v1beta1.AdmissionInvalidPolicy, fmt.Sprintf("this version of the server cannot apply it: %v", p.invalid))
	}
	if p.spec.Paused {
		add(v1beta1.AdmissionPaused, "paused")
	}
	if p.stop != nil {
		add(v1beta1.AdmissionStopped, s.stopText(p))
	}
	if !p.times.MayStart {
		add(p.times.Reason, p.closed)
	}
	if reason, message := s.consent(p, h, s.now); reason != "" {
		add(reason, message)
	}
	return waits
}

// closedText says why the schedule lets nothing start, and when it does again; empty: it lets maintenance start.
func (p *policy) closedText(now time.Time) string {
	switch {
	case p.times.MayStart:
		return ""
	case p.times.Reason == v1beta1.AdmissionFrozen:
		return fmt.Sprintf("frozen (%s); %s", p.times.Name, p.ahead.Opens(now))
	default:
		return p.ahead.Opens(now)
	}
}

// stopText says which failures have stopped the policy, and what to do about it.
func (s *state) stopText(p *policy) string {
	failed := s.failedNodes(p)
	if len(failed) == 0 {
		return fmt.Sprintf("stopped by failures at %s, until somebody sets spec.autoStop.ignoreBefore", moment(p.stop.Time.Time))
	}
	return fmt.Sprintf("stopped by failures of %s%s, until somebody sets spec.autoStop.ignoreBefore", count(len(failed), "node"), list(failed))
}

// moment is a time in a message that is not about a calendar.
func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }
