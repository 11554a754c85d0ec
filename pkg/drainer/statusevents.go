// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// events returns the events that tell of the change from one status to the next.
func (c statusWritten) events() []event {
	found := c.cordonEvents()
	old, next, node := c.old, c.next, c.hold.Spec.NodeName
	switch {
	case next.NodeUID != old.NodeUID && old.NodeUID != "":
		found = append(found, onBoth(c.hold, corev1.EventTypeWarning, eventNodeReplaced,
			"node %s was replaced by a new one of that name: its maintenance starts again for %s", node, c.hold.Name)...)
	case c.begins():
		found = append(found, onBoth(c.hold, corev1.EventTypeNormal, eventMaintenanceStarted,
			"%s takes node %s out of service: %s", holder(c.hold), node, reasonGiven(c.hold))...)
	}
	found = append(found, c.drainEvents()...)
	if next.Phase == v1beta1.PhaseFailed && old.Phase != v1beta1.PhaseFailed {
		found = append(found, c.failedEvents()...)
	}
	found = append(found, c.keptEvents()...)
	if c.hold.ended() && kept(next) == nil && next.LastError != "" && next.LastError != old.LastError {
		found = append(found, onBoth(c.hold, corev1.EventTypeWarning, eventReleaseFailed,
			"could not give back node %s for %s: %s", node, c.hold.Name, next.LastError)...)
	}
	return append(found, c.expirationEvents()...)
}

// failedEvents are about a drain that has failed: too late, or because a gate says so.
func (c statusWritten) failedEvents() []event {
	node, message := c.hold.Spec.NodeName, conditionMessage(c.next, v1beta1.ConditionDrained)
	if conditionReason(c.next, v1beta1.ConditionDrained) == v1beta1.ReasonLeaseLost {
		return onBoth(c.hold, corev1.EventTypeWarning, eventMaintenanceFailed, "node %s: %s (%s)", node, c.next.LastError, c.hold.Name)
	}
	return onBoth(c.hold, corev1.EventTypeWarning, eventDrainTimedOut, "on node %s %s (%s)", node, message, c.hold.Name)
}

// drainEvents are about a drain that is done, or begins again.
func (c statusWritten) drainEvents() []event {
	h, node := c.hold, c.hold.Spec.NodeName
	switch {
	case drained(c.next) && !drained(c.old):
		return onBoth(h, corev1.EventTypeNormal, eventDrainSucceeded, "%s (%s)", conditionMessage(c.next, v1beta1.ConditionDrained), h.Name)
	case !draining(c.next) || !drained(c.old):
		return nil
	case c.next.ObservedGeneration != c.old.ObservedGeneration:
		return onBoth(h, corev1.EventTypeNormal, eventDrainRestarted,
			"%s was changed and drains node %s again: %s to leave", h.Name, node, english.Plural(int(c.next.PendingPodCount), "pod is", "pods are"))
	default:
		return onBoth(h, corev1.EventTypeWarning, eventDrainRestarted,
			"%s came to drained node %s; %s drains it again", english.Plural(int(c.next.PendingPodCount), "pod", ""), node, h.Name)
	}
}

func (c statusWritten) expirationEvents() []event {
	if !isExpiring(c.next) || isExpiring(c.old) {
		return nil
	}
	return onBoth(c.hold, corev1.EventTypeWarning, eventHoldExpiring, "%s, on node %s: %s",
		holder(c.hold), c.hold.Spec.NodeName, conditionMessage(c.next, v1beta1.ConditionExpiring))
}

// cordonEvents are about a node that cannot be cordoned. That a node does not exist is told only on the
// hold.
func (c statusWritten) cordonEvents() []event {
	reason := conditionReason(c.next, v1beta1.ConditionCordoned)
	if reason == conditionReason(c.old, v1beta1.ConditionCordoned) {
		return nil
	}
	message := conditionMessage(c.next, v1beta1.ConditionCordoned)
	onHold := event{kind: corev1.EventTypeWarning, message: message, holds: []hold{c.hold}}
	switch reason {
	case v1beta1.ReasonNodeNotFound:
		onHold.reason = eventNodeNotFound
		return []event{onHold}
	case v1beta1.ReasonNodeDeleted:
		onHold.reason = eventNodeDeleted
		return []event{onHold}
	case v1beta1.ReasonCordonFailed:
		return onBoth(c.hold, corev1.EventTypeWarning, eventCordonFailed, "could not cordon node %s: %s", c.hold.Spec.NodeName, message)
	case v1beta1.ReasonLeaseHeld:
		return onBoth(c.hold, corev1.EventTypeNormal, eventLeaseHeld, "%s (%s)", message, c.hold.Name)
	case v1beta1.ReasonLeaseLost:
		return onBoth(c.hold, corev1.EventTypeWarning, eventLeaseLost, "%s (%s)", message, c.hold.Name)
	default:
		return nil
	}
}
