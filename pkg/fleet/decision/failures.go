// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	defaultFailureWindow  = 86400
	defaultReleaseTimeout = 1800
)

// failure is the time when maintenance has failed, as the facts are; a zero time: it does not fail.
type failure struct {
	reason v1beta1.FailureReason
	at     time.Time
}

// noteFailures records each failure once.
func (s *state) noteFailures() {
	holds := s.holdsByNode()
	for _, e := range s.sortedEntries() {
		for _, p := range s.countedBy(e) {
			if p.spec.AutoStop == nil {
				continue
			}
			for _, f := range p.failures(e, holds[e.Node]) {
				s.noteFailure(p, e, f)
			}
		}
	}
}

func (s *state) holdsByNode() map[string][]*hold {
	byNode := map[string][]*hold{}
	for _, h := range s.holds {
		if s.admitted(h) != nil {
			byNode[h.Spec.NodeName] = append(byNode[h.Spec.NodeName], h)
		}
	}
	return byNode
}

// noteFailure records a failure that has happened, if it is not recorded yet.
func (s *state) noteFailure(p *policy, e *entry, f failure) {
	if f.at.IsZero() {
		return
	}
	if f.at.After(s.now) {
		s.wake(f.at)
		return
	}
	known := slices.ContainsFunc(s.failures, func(had v1beta1.LedgerFailure) bool {
		return had.Policy == p.name && had.Reason == f.reason && e.had(had)
	})
	if !known {
		s.failures = append(s.failures, v1beta1.LedgerFailure{Policy: p.name, PolicyFailure: v1beta1.PolicyFailure{
			Node: e.Node, NodeUID: e.NodeUID, Reason: f.reason, Time: s.second(s.now),
		}})
	}
}

// had says whether the failure was one of this maintenance of the node.
func (e *entry) had(f v1beta1.LedgerFailure) bool {
	return f.Node == e.Node && f.NodeUID == e.NodeUID && !f.Time.Time.Before(e.AdmittedTime.Truncate(time.Second))
}

// remembers says whether a failure is kept: it still counts, or would be recorded again.
func (s *state) remembers(f v1beta1.LedgerFailure) bool {
	p := s.byName[f.Policy]
	if p == nil || p.spec.AutoStop == nil {
		return false
	}
	e := s.entries[f.Node]
	return s.counts(p, f) || (e != nil && e.had(f))
}

// counts says whether a failure counts for the stop of a policy.
func (s *state) counts(p *policy, f v1beta1.LedgerFailure) bool {
	stop := p.spec.AutoStop
	if f.Policy != p.name || (stop.IgnoreBefore != nil && !f.Time.After(stop.IgnoreBefore.Time)) {
		return false
	}
	return s.now.Sub(f.Time.Time) < time.Duration(ptr.Deref(stop.WindowSeconds, defaultFailureWindow))*time.Second
}

// failures is the time when the maintenance of a node fails for the policy, for each reason.
func (p *policy) failures(e *entry, holds []*hold) []failure {
	stop := p.spec.AutoStop
	var found []failure
	add := func(reason v1beta1.FailureReason, at time.Time) { found = append(found, failure{reason, at}) }
	add(v1beta1.FailureNotReady, p.failedSoak(e))
	if !e.held() {
		return found
	}
	if stop.HeldSeconds != nil {
		add(v1beta1.FailureHeldTooLong, after(e.AdmittedTime.Time, *stop.HeldSeconds))
	}
	if e.ReleaseTime != nil && p.spec.Gates != nil && len(p.spec.Gates.Release) > 0 {
		timeout := ptr.Deref(p.spec.Gates.ReleaseTimeoutSeconds, defaultReleaseTimeout)
		add(v1beta1.FailureReleaseTimedOut, after(e.ReleaseTime.Time, timeout))
	}
	for _, h := range holds {
		admitted := e.holdOf(h.UID)
		if since := h.drainsSince(admitted); stop.DrainSeconds != nil && !since.IsZero() {
			add(v1beta1.FailureDrainOverdue, after(since, *stop.DrainSeconds))
		}
		if h.Status.Phase == v1beta1.PhaseFailed && h.Status.Deadline != nil && h.Status.Deadline.After(admitted.Time.Time) {
			add(v1beta1.FailureDrainFailed, h.Status.Deadline.Time)
		}
	}
	return found
}

// drainsSince is the time since which the hold drains its node; zero: it does not, or is through.
func (h *hold) drainsSince(admitted *v1beta1.LedgerHold) time.Time {
	switch {
	case admitted.Stage != v1beta1.StageDrain || h.Status.DrainedTime != nil:
		return time.Time{}
	case h.Status.StartTime != nil:
		return latest(h.Status.StartTime.Time, admitted.Time.Time) // it may be the one of an earlier drain
	case h.Status.NodeBefore != nil:
		return time.Time{} // it had cordoned the node before, and its drain is about to begin
	default:
		return admitted.Time.Time
	}
}

func after(t time.Time, seconds int64) time.Time { return t.Add(time.Duration(seconds) * time.Second) }
