// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
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
	if Drained(*s) {
		apimeta.RemoveStatusCondition(&s.Conditions, v1beta1.ConditionDrained)
		s.StartTime = nil // the drain that is under way has not begun yet
	}
	s.DrainedTime = nil
}

// Doubted is the hold without Drained, if that was found in the store, and pods are there of which none
// came since.
func (h Hold) Doubted(pending []*corev1.Pod) Hold {
	if !h.Memory.Said.compared() || !Drained(h.Present) || len(pending) == 0 || h.Present.ObservedGeneration != h.Generation ||
		slices.ContainsFunc(pending, func(pod *corev1.Pod) bool { return !pod.CreationTimestamp.Before(h.Present.DrainedTime) }) {
		return h
	}
	h.Present = *h.Present.DeepCopy()
	takeBackDrained(&h.Present)
	h.Told = h.Present
	h.Memory.Said.corrects(h.Told)
	return h
}

// importedFrom is what the hold was imported from; nil when it was not imported. The registry has checked
// the annotation.
func importedFrom(maintenance *v1beta1.NodeMaintenance) *v1beta1.ImportedFrom {
	return readImported(maintenance.Annotations)
}

func readImported(annotations map[string]string) *v1beta1.ImportedFrom {
	from, err := v1beta1.ReadImportedFrom(annotations)
	if err != nil {
		return nil
	}
	return from
}

// OutBeforeImport says whether another operator took the node out of service, and it still is: a hold with these
// annotations was imported from it, and the node carries a taint of it. The taint of spec.unschedulable does not count:
// a person's cordon brings it, too.
func OutBeforeImport(node *corev1.Node, annotations map[string]string) bool {
	from := readImported(annotations)
	if from == nil || from.NodeBefore == nil || from.NodeUID != node.UID {
		return false
	}
	return slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
		return taint.Key != corev1.TaintNodeUnschedulable && nodemarks.ListsTaint(from.NodeBefore.AddedTaints, taint)
	})
}

// begun is the status of a hold as the store has it. If this server has not written it yet, and another
// operator had taken the node out of service for the object that the hold was imported from, the status
// says how far that was: the maintenance goes on from there.
func begun(maintenance *v1beta1.NodeMaintenance) v1beta1.NodeMaintenanceStatus {
	if maintenance.Status.ObservedGeneration > 0 {
		return maintenance.Status
	}
	from := importedFrom(maintenance)
	if from == nil || from.NodeBefore == nil {
		return maintenance.Status
	}
	return importedStatus(from)
}

// importedStatus does not say that the node is cordoned: the cordon is still to set our marks, and that is
// no repair.
func importedStatus(from *v1beta1.ImportedFrom) v1beta1.NodeMaintenanceStatus {
	s := v1beta1.NodeMaintenanceStatus{
		ObservedGeneration: 1, Phase: v1beta1.PhaseRunning, NodeUID: from.NodeUID, NodeBefore: from.NodeBefore,
		StartTime: from.StartTime, DrainedTime: from.DrainedTime, DrainProgress: ptr.To(from.DrainProgress),
		TotalPods: from.TotalPods, EvictionPods: from.EvictionPods, PendingPodCount: from.PendingPodCount,
	}
	if from.DrainedTime != nil {
		s.Phase = v1beta1.PhaseSucceeded
		apimeta.SetStatusCondition(&s.Conditions, metav1.Condition{
			Type: v1beta1.ConditionDrained, Status: metav1.ConditionTrue, Reason: v1beta1.ReasonNodeEmpty,
			Message: "drained before the import", ObservedGeneration: 1, LastTransitionTime: *from.DrainedTime,
		})
	}
	return s
}

// firstBegan is the earliest time at which the hold's drain may have begun: when it was created, or the
// object that it was imported from.
func firstBegan(maintenance *v1beta1.NodeMaintenance) time.Time {
	if from := importedFrom(maintenance); from != nil && from.CreationTime.Before(&maintenance.CreationTimestamp) {
		return from.CreationTime.Time
	}
	return maintenance.CreationTimestamp.Time
}
