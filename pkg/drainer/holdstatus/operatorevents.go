// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The events of the node-maintenance operators: their source, the API version of the object that they are
// about, and their reasons. kubectl describe finds them under each name of a hold, since it asks for the
// kind, the name and the UID.
const (
	OperatorComponent  = "NodeMaintenance"
	OperatorAPIVersion = "nodemaintenance.medik8s.io/v1beta1"

	OperatorBegin   = "BeginMaintenance"
	OperatorSucceed = "SucceedMaintenance"
	OperatorFail    = "FailedMaintenance"
	OperatorUncord  = "UncordonNode"
	OperatorRemove  = "RemovedMaintenance"
)

// ToldByOperators is a change that the operators tell of, too. Their scripts and alerts wait for these
// events. Each message begins with the operators' words.
type ToldByOperators interface {
	OperatorEvents() []Event
}

// OperatorEvents are about the begin, the success and the failure of a maintenance. A drain that begins
// again is the same maintenance.
func (c StatusWritten) OperatorEvents() []Event {
	var found []Event
	if c.begins() {
		found = append(found, onHold(c.Hold, corev1.EventTypeNormal, OperatorBegin, "Begin a node maintenance: %s", nodeAndWhy(c.Hold)))
	}
	if c.succeeds() {
		found = append(found, onHold(c.Hold, corev1.EventTypeNormal, OperatorSucceed, "Node maintenance was succeeded: %s", nodeAndWhy(c.Hold)))
	}
	if cause := c.failure(); cause != "" {
		found = append(found, onHold(c.Hold, corev1.EventTypeWarning, OperatorFail, "Failed a node maintenance: %s: %s", nodeAndWhy(c.Hold), cause))
	}
	return found
}

// begins says whether a hold takes its node out of service for the first time.
func (c StatusWritten) begins() bool {
	sameNode := c.Next.NodeUID == c.Old.NodeUID || c.Old.NodeUID == ""
	return c.Next.NodeBefore != nil && c.Old.NodeBefore == nil && sameNode
}

// succeeds says whether the node has just been drained for the first time. A hold that only cordons has
// nothing that the operators would call a success.
func (c StatusWritten) succeeds() bool {
	justNow := c.Old.Phase != v1beta1.PhaseSucceeded || c.Old.StartTime == nil
	return c.Next.Phase == v1beta1.PhaseSucceeded && c.Next.StartTime != nil && justNow && c.firstDrain()
}

// firstDrain says whether the drain is the first one: it began when the node was cordoned, or later if the
// hold only cordoned before. A drain that begins again sets Drained to false at its begin.
func (c StatusWritten) firstDrain() bool {
	cordoned := apimeta.FindStatusCondition(c.Next.Conditions, v1beta1.ConditionCordoned)
	undrained := apimeta.FindStatusCondition(c.Old.Conditions, v1beta1.ConditionDrained)
	switch {
	case cordoned == nil:
		return false
	case !cordoned.LastTransitionTime.Before(c.Next.StartTime):
		return true
	default:
		return undrained != nil && undrained.Status == metav1.ConditionFalse && undrained.LastTransitionTime.Before(c.Next.StartTime)
	}
}

// failure is the reason why the maintenance has just failed; empty if it has not. For the operators it also fails if
// its node does not exist.
func (c StatusWritten) failure() string {
	if c.Next.Phase == v1beta1.PhaseFailed && c.Old.Phase != v1beta1.PhaseFailed {
		return ConditionMessage(c.Next, v1beta1.ConditionDrained)
	}
	reason := ConditionReason(c.Next, v1beta1.ConditionCordoned)
	missing := reason == v1beta1.ReasonNodeNotFound || reason == v1beta1.ReasonNodeDeleted
	if missing && reason != ConditionReason(c.Old, v1beta1.ConditionCordoned) {
		return ConditionMessage(c.Next, v1beta1.ConditionCordoned)
	}
	return ""
}

// OperatorEvents are none for a node that stays cordoned, since it was so before.
func (c NodeGivenBack) OperatorEvents() []Event {
	if c.CordonedBefore {
		return nil
	}
	return []Event{{
		Kind: corev1.EventTypeNormal, Reason: OperatorUncord, Node: c.Node,
		Message: fmt.Sprintf("Uncordon a node: node %s, for which no maintenance is left after %s", c.Node, holders(c.Holds)),
	}}
}

// OperatorEvents implements ToldByOperators.
func (c HoldEnded) OperatorEvents() []Event {
	return []Event{onHold(c.Hold, corev1.EventTypeNormal, OperatorRemove, "Removed a node maintenance: %s", nodeAndWhy(c.Hold))}
}

// onHold is an event on the hold alone.
func onHold(h Hold, kind, reason, format string, args ...any) Event {
	return Event{Kind: kind, Reason: reason, Holds: []Hold{h}, Message: fmt.Sprintf(format, args...)}
}

func nodeAndWhy(h Hold) string { return fmt.Sprintf("node %s (%s)", h.Spec.NodeName, reasonGiven(h)) }
