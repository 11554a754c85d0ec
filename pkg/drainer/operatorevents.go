// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

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
	operatorComponent  = "NodeMaintenance"
	operatorAPIVersion = "nodemaintenance.medik8s.io/v1beta1"

	operatorBegin   = "BeginMaintenance"
	operatorSucceed = "SucceedMaintenance"
	operatorFail    = "FailedMaintenance"
	operatorUncord  = "UncordonNode"
	operatorRemove  = "RemovedMaintenance"
)

// toldByOperators is a change that the operators tell of, too. Their scripts and alerts wait for these
// events. Each message begins with the operators' words.
type toldByOperators interface {
	operatorEvents() []event
}

// operatorEvents are about the begin, the success and the failure of a maintenance. A drain that begins
// again is the same maintenance.
func (c statusWritten) operatorEvents() []event {
	var found []event
	if c.begins() {
		found = append(found, onHold(c.hold, corev1.EventTypeNormal, operatorBegin, "Begin a node maintenance: %s", nodeAndWhy(c.hold)))
	}
	if c.succeeds() {
		found = append(found, onHold(c.hold, corev1.EventTypeNormal, operatorSucceed, "Node maintenance was succeeded: %s", nodeAndWhy(c.hold)))
	}
	if cause := c.failure(); cause != "" {
		found = append(found, onHold(c.hold, corev1.EventTypeWarning, operatorFail, "Failed a node maintenance: %s: %s", nodeAndWhy(c.hold), cause))
	}
	return found
}

// begins says whether a hold takes its node out of service for the first time.
func (c statusWritten) begins() bool {
	sameNode := c.next.NodeUID == c.old.NodeUID || c.old.NodeUID == ""
	return c.next.NodeBefore != nil && c.old.NodeBefore == nil && sameNode
}

// succeeds says whether the node has just been drained for the first time. A hold that only cordons has
// nothing that the operators would call a success.
func (c statusWritten) succeeds() bool {
	justNow := c.old.Phase != v1beta1.PhaseSucceeded || c.old.StartTime == nil
	return c.next.Phase == v1beta1.PhaseSucceeded && c.next.StartTime != nil && justNow && c.firstDrain()
}

// firstDrain says whether the drain is the first one: it began when the node was cordoned, or later if the
// hold only cordoned before. A drain that begins again sets Drained to false at its begin.
func (c statusWritten) firstDrain() bool {
	cordoned := apimeta.FindStatusCondition(c.next.Conditions, v1beta1.ConditionCordoned)
	undrained := apimeta.FindStatusCondition(c.old.Conditions, v1beta1.ConditionDrained)
	switch {
	case cordoned == nil:
		return false
	case !cordoned.LastTransitionTime.Before(c.next.StartTime):
		return true
	default:
		return undrained != nil && undrained.Status == metav1.ConditionFalse && undrained.LastTransitionTime.Before(c.next.StartTime)
	}
}

// failure is why the maintenance has just failed; empty if it has not. For the operators it also fails if
// its node does not exist.
func (c statusWritten) failure() string {
	if c.next.Phase == v1beta1.PhaseFailed && c.old.Phase != v1beta1.PhaseFailed {
		return conditionMessage(c.next, v1beta1.ConditionDrained)
	}
	reason := conditionReason(c.next, v1beta1.ConditionCordoned)
	missing := reason == v1beta1.ReasonNodeNotFound || reason == v1beta1.ReasonNodeDeleted
	if missing && reason != conditionReason(c.old, v1beta1.ConditionCordoned) {
		return conditionMessage(c.next, v1beta1.ConditionCordoned)
	}
	return ""
}

// operatorEvents are none for a node that stays cordoned, since it was so before.
func (c nodeGivenBack) operatorEvents() []event {
	if c.cordonedBefore {
		return nil
	}
	return []event{{
		kind: corev1.EventTypeNormal, reason: operatorUncord, node: c.node,
		message: fmt.Sprintf("Uncordon a node: node %s, for which no maintenance is left after %s", c.node, holders(c.holds)),
	}}
}

func (c holdEnded) operatorEvents() []event {
	return []event{onHold(c.hold, corev1.EventTypeNormal, operatorRemove, "Removed a node maintenance: %s", nodeAndWhy(c.hold))}
}

// onHold is an event on the hold alone.
func onHold(h hold, kind, reason, format string, args ...any) event {
	return event{kind: kind, reason: reason, holds: []hold{h}, message: fmt.Sprintf(format, args...)}
}

func nodeAndWhy(h hold) string { return fmt.Sprintf("node %s (%s)", h.Spec.NodeName, reasonGiven(h)) }
