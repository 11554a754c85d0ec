// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// clockSkew is how much a clock may have been set back while a status was written.
const clockSkew = time.Minute

// plausible is what is to be believed of a status that was found in the store: somebody may have written
// it, or restored an older one. Nearly all of a status is worked out anew by each reconcile; this is about the
// rest. If the start of the drain cannot be true, it begins now, so that no pod is deleted too early.
func plausible(maintenance *v1beta1.NodeMaintenance, now time.Time) v1beta1.NodeMaintenanceStatus {
	stored := begun(maintenance)
	s := *stored.DeepCopy()
	if s.StartTime != nil && s.StartTime.Add(clockSkew).Before(firstBegan(maintenance)) {
		s.StartTime = nil
	}
	s.StartTime, s.DrainedTime = notLater(s.StartTime, now), notLater(s.DrainedTime, now)
	if s.StartTime == nil || s.DrainedTime == nil || s.DrainedTime.Before(s.StartTime) {
		takeBackDrained(&s)
	}
	return s
}

// notLater is a time that is not in the future.
func notLater(at *metav1.Time, now time.Time) *metav1.Time {
	if at == nil || !at.After(now) {
		return at
	}
	clipped := metav1.NewTime(now).Rfc3339Copy()
	return &clipped
}

// takeBackDrained has a status no longer say that the hold's pods have left.
func takeBackDrained(s *v1beta1.NodeMaintenanceStatus) {
	if drained(*s) {
		apimeta.RemoveStatusCondition(&s.Conditions, v1beta1.ConditionDrained)
		s.StartTime = nil // the drain that is under way has not begun yet
	}
	s.DrainedTime = nil
}

// doubted is the hold without Drained, if that was found in the store, and pods are there of which none
// came since.
func (h hold) doubted(pending []*corev1.Pod) hold {
	if !h.memory.said.compared() || !drained(h.present) || len(pending) == 0 || h.present.ObservedGeneration != h.Generation ||
		slices.ContainsFunc(pending, func(pod *corev1.Pod) bool { return !pod.CreationTimestamp.Before(h.present.DrainedTime) }) {
		return h
	}
	h.present = *h.present.DeepCopy()
	takeBackDrained(&h.present)
	h.told = h.present
	h.memory.said.corrects(h.told)
	return h
}
