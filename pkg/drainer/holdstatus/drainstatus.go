// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

const (
	// maxBlockedMessages is how many blockers the message of the condition quotes.
	maxBlockedMessages = 3
	// maxListedVolumes is how many volumes the message of the condition names.
	maxListedVolumes = 10
)

// drain says how far the drain of this hold, as if it were alone, has come.
func (s *statusBuilder) drain() {
	s.cordoned()
	f := s.facts.Drain.ByHold[s.hold.UID]
	s.setError(s.problem(f))
	if f == nil {
		s.podsUnknown()
		return
	}
	wasDrained := Drained(s.old)
	isDrained := f.Empty || StaysDrained(s.hold, len(f.Pending))
	moved := f.Moved
	if !draining(s.old) && (!wasDrained || !isDrained) {
		s.begin()
		if len(f.Pending) == 0 && !isDrained {
			moved = 0 // those pods were counted for the last drain
		}
	}
	s.count(f, moved)
	s.volumes(f)
	s.deadline()
	switch {
	case isDrained:
		s.emptied(f, wasDrained)
	case s.late():
		s.next.Phase = v1beta1.PhaseFailed
		s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDeadlineExceeded,
			"%s left past the deadline; %s%s", english.Plural(len(f.Pending), "pod is", "pods are"), s.whatGoesOn(f), turnsToCome(f.Turns))
	default:
		s.next.Phase = v1beta1.PhaseRunning
		s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDraining,
			"%d of %s %s still to leave%s", len(f.Pending), english.Plural(int(s.next.EvictionPods), "pod", ""),
			english.PluralWord(len(f.Pending), "is", "are"), turnsToCome(f.Turns))
	}
}

// problem is what is wrong with the drain; empty when nothing is.
func (s *statusBuilder) problem(f *HoldDrain) string {
	switch {
	case s.hold.Invalid != nil:
		return s.hold.Invalid.Error()
	case s.facts.Drain.Failure == "" && f != nil:
		return failedEviction(f.Blockers)
	default:
		return s.facts.Drain.Failure
	}
}

// failedEviction is the message of the first eviction that failed for an unexpected reason; empty when
// none did.
func failedEviction(blockers []v1beta1.DrainBlocker) string {
	for _, b := range blockers {
		if b.Reason == v1beta1.BlockerEvictionFailed {
			return fmt.Sprintf("could not evict pod %s: %s", b.Pod, b.Message)
		}
	}
	return ""
}

// podsUnknown writes the status while the pods are being listed, at the start of a drain or after a
// restart of the server. What the status says of a drain that has begun stays.
func (s *statusBuilder) podsUnknown() {
	if draining(s.old) || Drained(s.old) {
		if Drained(s.old) {
			// It is not known yet whether the drain is also done for a changed spec.
			s.next.ObservedGeneration = s.old.ObservedGeneration
		}
		s.deadline()
		if !Drained(s.old) && s.late() {
			s.next.Phase = v1beta1.PhaseFailed
			s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDeadlineExceeded,
				"the pods of node %s are not known past the deadline; they are being listed", s.hold.Spec.NodeName)
		}
		return
	}
	s.begin()
	s.deadline()
	s.next.Phase = v1beta1.PhaseRunning
	s.listing()
	s.unblocked()
}

func (s *statusBuilder) listing() {
	s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDraining, "the pods of node %s are being listed", s.hold.Spec.NodeName)
}

func (s *statusBuilder) begin() {
	s.next.StartTime, s.next.DrainedTime, s.next.DrainProgress, s.next.TotalPods = s.now.DeepCopy(), nil, nil, 0
}

func (s *statusBuilder) count(f *HoldDrain, moved int) {
	pending := plan.Keys(f.Pending)
	if s.next.TotalPods == 0 {
		s.next.TotalPods = int32(f.Total)
	}
	s.next.TotalPods = max(s.next.TotalPods, int32(moved)) // pods that came later count, too
	s.next.EvictionPods = int32(moved)
	s.next.PendingPodCount, s.next.SkippedPodCount = int32(len(pending)), int32(f.Staying)
	s.next.PendingPods = pending[:min(len(pending), v1beta1.MaxPendingPods)]
	if moved > 0 {
		// Only a fresh list says that a drain is done, so counting alone stops at 99.
		progress := min(100*(moved-len(pending))/moved, 99)
		s.next.DrainProgress = ptr.To(max(ptr.Deref(s.next.DrainProgress, 0), int32(progress)))
	}
	if len(f.Blockers) == 0 {
		s.unblocked()
		return
	}
	s.next.BlockedPodCount = int32(len(f.Blockers))
	s.next.Blockers = f.Blockers[:min(len(f.Blockers), v1beta1.MaxBlockers)]
	s.condition(v1beta1.ConditionBlocked, metav1.ConditionTrue, string(f.Blockers[0].Reason), "%s", blockedMessage(f.Blockers))
}

func (s *statusBuilder) volumes(f *HoldDrain) {
	if f.VolumesUnknown {
		return
	}
	if len(f.Volumes) == 0 {
		s.condition(v1beta1.ConditionVolumesDetached, metav1.ConditionTrue, v1beta1.ReasonNoVolumesAttached,
			"no volume of a pod that had to move is attached to node %s", s.hold.Spec.NodeName)
		return
	}
	s.condition(v1beta1.ConditionVolumesDetached, metav1.ConditionFalse, v1beta1.ReasonVolumesAttached,
		"still attached to node %s: %s", s.hold.Spec.NodeName, quote.Names(f.Volumes, maxListedVolumes))
}

func (s *statusBuilder) deadline() {
	s.next.Deadline = s.hold.deadline(s.next.StartTime)
}

// whatGoesOn says what happens with pods past the deadline.
func (s *statusBuilder) whatGoesOn(f *HoldDrain) string {
	switch stuck := len(f.Blockers); {
	case !s.hold.Deletes:
		return "evictions go on"
	case stuck == 0:
		return "they are being deleted"
	case stuck < len(f.Pending):
		return fmt.Sprintf("they are being deleted, and what holds up %d of them is in status.blockers", stuck)
	default:
		return "what holds up their deletion is in status.blockers"
	}
}

func (s *statusBuilder) late() bool {
	return s.next.Deadline != nil && !s.now.Before(s.next.Deadline)
}

func (s *statusBuilder) emptied(f *HoldDrain, wasDrained bool) {
	s.next.Phase, s.next.DrainProgress = v1beta1.PhaseSucceeded, ptr.To[int32](100)
	s.next.LastError = quote.Cut(s.problem(f), quote.MaxMessage)
	if !wasDrained || s.next.DrainedTime == nil {
		s.next.DrainedTime = s.now.DeepCopy()
	}
	reason, message := s.whatIsLeft(f.Staying)
	s.condition(v1beta1.ConditionDrained, metav1.ConditionTrue, reason, "%s", message)
}

func blockedMessage(blockers []v1beta1.DrainBlocker) string {
	var lines []string
	for _, b := range blockers[:min(len(blockers), maxBlockedMessages)] {
		lines = append(lines, fmt.Sprintf("%s: %s", b.Pod, b.Message))
	}
	if more := len(blockers) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "; ")
}
