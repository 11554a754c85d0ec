// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// maxBlockedMessages is how many blockers the message of the condition quotes.
	maxBlockedMessages = 3
	// maxListedVolumes is how many volumes the message of the condition names.
	maxListedVolumes = 10
)

func equalStatus(a, b v1beta1.NodeMaintenanceStatus) bool {
	return apiequality.Semantic.DeepEqual(a, b)
}

// drained says whether the status says that the hold's pods have left.
func drained(status v1beta1.NodeMaintenanceStatus) bool {
	return apimeta.IsStatusConditionTrue(status.Conditions, v1beta1.ConditionDrained)
}

// draining says whether the status speaks of a drain that is under way: begun and not done. A
// pod that comes to a drained node begins another.
func draining(status v1beta1.NodeMaintenanceStatus) bool {
	return status.StartTime != nil && !drained(status)
}

// staysDrained says whether a hold that was drained still is, by what the watch shows. Another
// selector needs a fresh list as a first drain does.
func staysDrained(h hold, old v1beta1.NodeMaintenanceStatus, pending int) bool {
	return drained(old) && old.ObservedGeneration == h.Generation && pending == 0
}

// drain says how far the drain of this hold, as if it were alone, has come.
func (s *statusBuilder) drain() {
	s.cordoned()
	s.setError(s.facts.lastError)
	if s.facts.drain == nil {
		s.podsUnknown()
		return
	}
	f := s.facts.drain
	wasDrained := drained(s.old)
	isDrained := f.empty || staysDrained(s.hold, s.old, len(f.pending))
	if !draining(s.old) && (!wasDrained || !isDrained) {
		s.begin()
		if len(f.pending) == 0 && !isDrained {
			f.evictions = 0 // those that were counted are of the drain before
		}
	}
	s.count(f)
	s.volumes(f)
	s.deadline()
	switch {
	case isDrained:
		s.emptied(wasDrained)
	case s.late():
		s.next.Phase = v1beta1.PhaseFailed
		s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDeadlineExceeded,
			"%d pods are left past the deadline; %s", len(f.pending), whatGoesOn(f))
	default:
		s.next.Phase = v1beta1.PhaseRunning
		s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDraining,
			"%d of %d pods are still to leave", len(f.pending), s.next.EvictionPods)
	}
}

// podsUnknown leaves what a drain under way, or done, has said: the pods are being listed, at
// the beginning or after a restart.
func (s *statusBuilder) podsUnknown() {
	if draining(s.old) || drained(s.old) {
		if drained(s.old) {
			// Whether it is done by another spec, too, is not known yet.
			s.next.ObservedGeneration = s.old.ObservedGeneration
		}
		s.deadline()
		if !drained(s.old) && s.late() {
			s.next.Phase = v1beta1.PhaseFailed
			s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDeadlineExceeded,
				"the pods of node %s are not known past the deadline; they are being listed", s.hold.Spec.NodeName)
		}
		return
	}
	s.begin()
	s.deadline()
	s.next.Phase = v1beta1.PhaseRunning
	s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDraining, "the pods of node %s are being listed", s.hold.Spec.NodeName)
	s.unblocked()
}

func (s *statusBuilder) begin() {
	s.next.StartTime, s.next.DrainedTime, s.next.DrainProgress = s.now.DeepCopy(), nil, 0
}

func (s *statusBuilder) count(f *drainFacts) {
	s.next.TotalPods = int32(f.total)
	s.next.EvictionPods = int32(f.evictions)
	s.next.PendingPodCount = int32(len(f.pending))
	s.next.PendingPods = f.pending[:min(len(f.pending), v1beta1.MaxPendingPods)]
	if f.evictions > 0 {
		// Only a fresh list says that a drain is done, so counting alone stops at 99.
		progress := min(100*(f.evictions-len(f.pending))/f.evictions, 99)
		s.next.DrainProgress = max(s.next.DrainProgress, int32(progress))
	}
	if len(f.blockers) == 0 {
		s.unblocked()
		return
	}
	s.next.BlockedPodCount = int32(len(f.blockers))
	s.next.Blockers = f.blockers[:min(len(f.blockers), v1beta1.MaxBlockers)]
	s.condition(v1beta1.ConditionBlocked, metav1.ConditionTrue, string(f.blockers[0].Reason), "%s", blockedMessage(f.blockers))
}

func (s *statusBuilder) volumes(f *drainFacts) {
	if f.volumesUnknown {
		return
	}
	if len(f.volumes) == 0 {
		s.condition(v1beta1.ConditionVolumesDetached, metav1.ConditionTrue, v1beta1.ReasonNoVolumesAttached,
			"no volume of a pod that had to move is attached to node %s", s.hold.Spec.NodeName)
		return
	}
	s.condition(v1beta1.ConditionVolumesDetached, metav1.ConditionFalse, v1beta1.ReasonVolumesAttached,
		"still attached to node %s: %s", s.hold.Spec.NodeName, listed(f.volumes, maxListedVolumes))
}

func (s *statusBuilder) deadline() {
	s.next.Deadline = s.hold.deadline(s.next.StartTime)
}

func whatGoesOn(f *drainFacts) string {
	if f.deletes {
		return "they are being deleted"
	}
	return "evictions go on"
}

func (s *statusBuilder) late() bool {
	return s.next.Deadline != nil && !s.now.Before(s.next.Deadline)
}

func (s *statusBuilder) emptied(wasDrained bool) {
	s.next.Phase, s.next.DrainProgress, s.next.LastError = v1beta1.PhaseSucceeded, 100, bounded(s.facts.lastError, maxMessageBytes)
	if !wasDrained || s.next.DrainedTime == nil {
		s.next.DrainedTime = s.now.DeepCopy()
	}
	if s.hold.selector.Empty() && s.facts.drain.leaves == 0 {
		s.condition(v1beta1.ConditionDrained, metav1.ConditionTrue, v1beta1.ReasonNodeEmpty,
			"nothing that a drain evicts is left on node %s", s.hold.Spec.NodeName)
		return
	}
	s.condition(v1beta1.ConditionDrained, metav1.ConditionTrue, v1beta1.ReasonSelectedPodsGone,
		"the pods that spec.drain selects have left node %s", s.hold.Spec.NodeName)
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
