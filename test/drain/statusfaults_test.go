// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// faults lists what is wrong with the versions of a hold, the oldest first, each
// by itself and as they follow each other.
func faults(versions []seenHold) []string {
	var found []string
	report := func(v seenHold, format string, args ...any) {
		status, err := json.Marshal(v.Status)
		if err != nil {
			status = []byte(err.Error())
		}
		found = append(found, fmt.Sprintf(format, args...)+": "+string(status))
	}
	for i, v := range versions {
		for _, fault := range faultsOf(v) {
			report(v, "%s", fault)
		}
		if i > 0 {
			for _, fault := range faultsBetween(versions[i-1], v) {
				report(v, "%s", fault)
			}
		}
	}
	if len(versions) > 0 && tooManyWrites(versions) {
		report(versions[len(versions)-1], "its status was written %d times in %s", statusWrites(versions), lasted(versions))
	}
	return found
}

// faultsOf judges one version by itself.
func faultsOf(v seenHold) []string {
	var found []string
	must := func(holds bool, fault string) {
		if !holds {
			found = append(found, fault)
		}
	}
	s := v.Status
	progress := ptr.Deref(s.DrainProgress, 0)
	must((s.DrainProgress != nil) == (v.Spec.Stage == v1beta1.StageDrain) || s.ObservedGeneration < v.Generation || v.DeletionTimestamp != nil, "progress where no drain is asked for, or none where one is")
	must(progress >= 0 && progress <= 100, "progress is not within 0 and 100")
	must(s.PendingPodCount >= 0 && s.PendingPodCount <= s.EvictionPods, "more pods are pending than the drain moves")
	must(int(s.PendingPodCount) == len(s.PendingPods) || len(s.PendingPods) == 100, "the count of pending pods is not that of the list")
	must(slices.IsSorted(s.PendingPods), "pending pods are not sorted")
	must(slices.IsSortedFunc(s.Blockers, func(a, b v1beta1.DrainBlocker) int { return cmp.Compare(a.Pod, b.Pod) }), "blockers are not sorted")
	must(meta.IsStatusConditionTrue(s.Conditions, v1beta1.ConditionBlocked) == (s.BlockedPodCount > 0), "Blocked does not say whether pods are blocked")
	must(s.Deadline == nil || s.StartTime != nil, "a deadline without a start")
	must(s.Phase != v1beta1.PhaseFailed || (s.Deadline != nil && !s.LastUpdate.Before(s.Deadline)), "Failed before the deadline")
	drained := env.Drained(v.NodeMaintenance)
	must(drained == (s.DrainedTime != nil), "drainedTime does not go with Drained")
	must(drained == (progress == 100), "progress is 100 without Drained, or the reverse")
	must(!drained || s.Phase == v1beta1.PhaseSucceeded, "Drained without having succeeded")
	must(!drained || s.PendingPodCount == 0, "Drained with pods pending")
	must(s.Phase != v1beta1.PhaseSucceeded || s.LastError == "", "success with an error")
	return found
}

// faultsBetween judges how one version follows another.
func faultsBetween(old, next seenHold) []string {
	var found []string
	if next.Spec.Requestor != old.Spec.Requestor {
		found = append(found, "another requestor than before")
	}
	if next.Status.ObservedGeneration < old.Status.ObservedGeneration {
		found = append(found, "the status speaks of an older spec than before")
	}
	if !sameDrain(old, next) {
		return found
	}
	if was := ptr.Deref(old.Status.DrainProgress, 0); ptr.Deref(next.Status.DrainProgress, 0) < was {
		found = append(found, fmt.Sprintf("progress ran backwards from %d within a drain", was))
	}
	if !next.Status.StartTime.Equal(old.Status.StartTime) {
		found = append(found, "a drain under way has another start than before")
	}
	if next.Status.EvictionPods < old.Status.EvictionPods {
		found = append(found, fmt.Sprintf("the drain moves fewer pods than the %d before", old.Status.EvictionPods))
	}
	return found
}

// sameDrain says whether two versions speak of one drain that goes on.
func sameDrain(old, next seenHold) bool {
	return old.Status.StartTime != nil && next.Status.StartTime != nil &&
		!env.Drained(old.NodeMaintenance) && old.Status.NodeUID == next.Status.NodeUID &&
		old.Spec.Stage == v1beta1.StageDrain && next.Spec.Stage == v1beta1.StageDrain
}

// tooManyWrites says whether the status was written more often than once a
// second, and the few that somebody waits for besides.
func tooManyWrites(versions []seenHold) bool {
	const urgent = 5
	return statusWrites(versions) > int(lasted(versions)/time.Second)+urgent
}

func lasted(versions []seenHold) time.Duration {
	return versions[len(versions)-1].at.Sub(versions[0].at)
}

func statusWrites(versions []seenHold) int {
	writes := 0
	for i := 1; i < len(versions); i++ {
		if !apiequality.Semantic.DeepEqual(versions[i-1].Status, versions[i].Status) {
			writes++
		}
	}
	return writes
}

// succeeded says whether a hold's drain is done, and speaks of the spec as it is.
func succeeded(nm *v1beta1.NodeMaintenance) bool {
	return nm.Status.ObservedGeneration == nm.Generation && env.Drained(nm) && nm.Status.Phase == v1beta1.PhaseSucceeded
}

// condition is a condition of a hold; an empty one when it is not there.
func condition(nm *v1beta1.NodeMaintenance, kind string) metav1.Condition {
	if c := meta.FindStatusCondition(nm.Status.Conditions, kind); c != nil {
		return *c
	}
	return metav1.Condition{}
}
