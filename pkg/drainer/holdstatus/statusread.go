// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

// Drained says whether the status says that the hold's pods have left.
func Drained(status v1beta1.NodeMaintenanceStatus) bool {
	return apimeta.IsStatusConditionTrue(status.Conditions, v1beta1.ConditionDrained)
}

// draining says whether the status says that a drain is under way: begun and not done. A pod that comes
// to a drained node begins another drain.
func draining(status v1beta1.NodeMaintenanceStatus) bool {
	return status.StartTime != nil && !Drained(status)
}

// StaysDrained says whether a hold that was drained still is, as far as the watch shows. After a change
// of its spec it needs a fresh list, as the first drain does.
func StaysDrained(h Hold, pending int) bool {
	return Drained(h.Present) && h.Present.ObservedGeneration == h.Generation && pending == 0
}

// ConditionReason is the reason of a condition; empty: it is not there.
func ConditionReason(status v1beta1.NodeMaintenanceStatus, kind string) string {
	if condition := apimeta.FindStatusCondition(status.Conditions, kind); condition != nil {
		return condition.Reason
	}
	return ""
}

// ConditionMessage is the message of a condition; empty: it is not there.
func ConditionMessage(status v1beta1.NodeMaintenanceStatus, kind string) string {
	if condition := apimeta.FindStatusCondition(status.Conditions, kind); condition != nil {
		return condition.Message
	}
	return ""
}

// IsExpiring says whether the status says that the hold ends soon.
func IsExpiring(status v1beta1.NodeMaintenanceStatus) bool {
	return apimeta.IsStatusConditionTrue(status.Conditions, v1beta1.ConditionExpiring)
}

// UntilLate is how long a drain under way has until its deadline; zero when no drain with a deadline is
// under way.
func UntilLate(status v1beta1.NodeMaintenanceStatus, now time.Time) time.Duration {
	if status.Deadline == nil || !draining(status) {
		return 0
	}
	return max(status.Deadline.Sub(now), 0)
}

// Urgent says whether somebody may be waiting for the change. Nobody waits to read that nothing is to
// be done: that is written later, so that it does not slow down the creation of many holds.
func Urgent(old, next v1beta1.NodeMaintenanceStatus) bool {
	if next.Phase != old.Phase || Drained(next) != Drained(old) {
		return true
	}
	was, is := ConditionReason(old, v1beta1.ConditionCordoned), ConditionReason(next, v1beta1.ConditionCordoned)
	idle := is == v1beta1.ReasonStageIdle || is == v1beta1.ReasonNotAdmitted || is == v1beta1.ReasonNodeNotFound
	waited := ConditionReason(old, v1beta1.ConditionAdmitted)
	return was != is && (was != "" || !idle) || waited != "" && waited != ConditionReason(next, v1beta1.ConditionAdmitted)
}

// CordonedSince is the time since which the node of the holds has been cordoned for a drain, as their statuses say;
// zero: none says so yet. Pods that were created later came to a cordoned node. That is a fact of stored
// objects, so a restart does not change it.
func CordonedSince(holds []Hold) time.Time {
	var since time.Time
	for _, h := range holds {
		cordoned := apimeta.FindStatusCondition(h.Present.Conditions, v1beta1.ConditionCordoned)
		if h.Drains() && cordoned != nil && cordoned.Status == metav1.ConditionTrue {
			since = due.Earlier(since, cordoned.LastTransitionTime.Time)
		}
	}
	return since
}

// FailuresSince is the time since which failed migrations of virtual machines count: since the node was cordoned.
func FailuresSince(holds []Hold, now time.Time) time.Time {
	if since := CordonedSince(holds); !since.IsZero() {
		return since
	}
	return now
}
