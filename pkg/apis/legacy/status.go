// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"fmt"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The phases that the former operators knew.
const (
	PhaseRunning   = "Running"
	PhaseSucceeded = "Succeeded"
	PhaseFailed    = "Failed"
)

// Status is the progress of a maintenance in the terms of the former operators. Each of their versions
// has some of it.
type Status struct {
	Phase             string
	DrainProgress     int32
	LastUpdate        *metav1.Time
	LastError         string
	PendingPods       []Pod
	TotalPods         int32
	EvictionPods      int32
	ErrorOnLeaseCount int32
}

// StatusOf returns the status of a hold as the medik8s operator would write it.
func StatusOf(hold *v1beta1.NodeMaintenance) Status {
	status := Status{
		Phase: phase(hold), DrainProgress: ptr.Deref(hold.Status.DrainProgress, 0),
		LastUpdate: hold.Status.LastUpdate, LastError: lastError(hold),
		PendingPods: podsOf(hold.Status.PendingPods), TotalPods: hold.Status.TotalPods,
		EvictionPods: hold.Status.EvictionPods, ErrorOnLeaseCount: hold.Status.LeaseErrorCount,
	}
	if status.Phase != PhaseSucceeded {
		// The drain of some of the pods may be done. Only Succeeded says that the node is empty.
		status.DrainProgress = min(status.DrainProgress, 99)
	}
	return status
}

// KubeVirtStatusOf returns the status of a hold as KubeVirt's operator would write it: it waits for a node
// that does not exist.
func KubeVirtStatusOf(hold *v1beta1.NodeMaintenance) Status {
	status := StatusOf(hold)
	if noNode(hold) {
		status.Phase = PhaseRunning
	}
	return status
}

// phase is Succeeded only if the node is empty: whoever reads it may switch the node off. A hold may also
// be done with less, which the former operators did not know.
func phase(hold *v1beta1.NodeMaintenance) string {
	drained := condition(hold, v1beta1.ConditionDrained)
	switch {
	case hold.Status.Phase == v1beta1.PhaseFailed, noNode(hold):
		return PhaseFailed
	case hold.Status.Phase == v1beta1.PhaseSucceeded && drained.Status == metav1.ConditionTrue && drained.Reason == v1beta1.ReasonNodeEmpty:
		return PhaseSucceeded
	default:
		return PhaseRunning
	}
}

// lastError is the hold's own error, or else what the node or its pods wait for.
func lastError(hold *v1beta1.NodeMaintenance) string {
	cordoned, blocked := condition(hold, v1beta1.ConditionCordoned), condition(hold, v1beta1.ConditionBlocked)
	switch {
	case phase(hold) == PhaseSucceeded:
		return ""
	case noNode(hold):
		return fmt.Sprintf("nodes %q not found", hold.Spec.NodeName)
	case hold.Status.LastError != "":
		return hold.Status.LastError
	case condition(hold, v1beta1.ConditionAdmitted).Status == metav1.ConditionFalse:
		return condition(hold, v1beta1.ConditionAdmitted).Message
	case waits(cordoned):
		return cordoned.Message
	case blocked.Status == metav1.ConditionTrue:
		return blocked.Message
	case hold.Status.Phase == v1beta1.PhaseFailed:
		return condition(hold, v1beta1.ConditionDrained).Message
	default:
		return ""
	}
}

func noNode(hold *v1beta1.NodeMaintenance) bool {
	reason := condition(hold, v1beta1.ConditionCordoned).Reason
	return reason == v1beta1.ReasonNodeNotFound || reason == v1beta1.ReasonNodeDeleted
}

// waits says whether the condition Cordoned says what the node waits for.
func waits(cordoned metav1.Condition) bool {
	switch cordoned.Reason {
	case v1beta1.ReasonLeaseHeld, v1beta1.ReasonLeaseLost, v1beta1.ReasonControlPlaneQuorum:
		return true
	default:
		return false
	}
}

// condition returns an empty condition if the hold has none of this type.
func condition(hold *v1beta1.NodeMaintenance, kind string) metav1.Condition {
	return ptr.Deref(apimeta.FindStatusCondition(hold.Status.Conditions, kind), metav1.Condition{})
}

// ToHub returns the status in the terms of maintenance.medik8s.io. It lacks what only that group knows.
func (s Status) ToHub() v1beta1.NodeMaintenanceStatus {
	status := v1beta1.NodeMaintenanceStatus{
		Phase: v1beta1.MaintenancePhase(s.Phase), LastUpdate: s.LastUpdate, LastError: s.LastError,
		TotalPods: s.TotalPods, EvictionPods: s.EvictionPods, LeaseErrorCount: s.ErrorOnLeaseCount,
		DrainProgress: ptr.To(s.DrainProgress), PendingPodCount: int32(len(s.PendingPods)),
	}
	for _, pod := range s.PendingPods {
		status.PendingPods = append(status.PendingPods, strings.TrimPrefix(pod.Namespace+"/"+pod.Name, "/"))
	}
	return status
}
