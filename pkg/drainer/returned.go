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
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

// cordonTaints are the taints of a cordoned node that keep pods away: that of spec.unschedulable, and those
// of its marks.
func cordonTaints(extra []corev1.Taint) []corev1.Taint {
	unschedulable := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	taints := append([]corev1.Taint{unschedulable}, newMarks("", extra).taints...)
	return slices.DeleteFunc(taints, func(t corev1.Taint) bool { return t.Effect == corev1.TaintEffectPreferNoSchedule })
}

// cordonedSince is since when the node of the holds has been cordoned for a drain, as their statuses say;
// zero: none says so yet. Pods that were created later came to a cordoned node. That is a fact of stored
// objects, so a restart does not change it.
func cordonedSince(holds []hold) time.Time {
	var since time.Time
	for _, h := range holds {
		cordoned := apimeta.FindStatusCondition(h.present.Conditions, v1beta1.ConditionCordoned)
		if h.Drains() && cordoned != nil && cordoned.Status == metav1.ConditionTrue {
			since = due.Earlier(since, cordoned.LastTransitionTime.Time)
		}
	}
	return since
}

// failuresSince is since when failed migrations of virtual machines count: since the node was cordoned.
func failuresSince(holds []hold, now time.Time) time.Time {
	if since := cordonedSince(holds); !since.IsZero() {
		return since
	}
	return now
}

// underWay is what is known of the drain of the node.
func (d *drains) underWay(node string) underWay {
	return underWay{
		attempts: d.dispatcher.Attempts(node), returns: d.returns.Pods(node), machines: d.machines, leaving: d.replicas.Leaving(),
	}
}
