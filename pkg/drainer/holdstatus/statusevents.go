// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Events returns the events that tell of the change from one status to the next.
func (c StatusWritten) Events() []Event {
	found := c.cordonEvents()
	old, next, node := c.Old, c.Next, c.Hold.Spec.NodeName
	switch {
	case next.NodeUID != old.NodeUID && old.NodeUID != "":
		found = append(found, onBoth(c.Hold, corev1.EventTypeWarning, EventNodeReplaced,
			"node %s was replaced by a new one of that name: its maintenance starts again for %s", node, c.Hold.Name)...)
	case c.begins():
		found = append(found, onBoth(c.Hold, corev1.EventTypeNormal, EventMaintenanceStarted,
			"%s takes node %s out of service: %s", holder(c.Hold), node, reasonGiven(c.Hold))...)
	}
	found = append(found, c.drainEvents()...)
	if next.Phase == v1beta1.PhaseFailed && old.Phase != v1beta1.PhaseFailed {
		found = append(found, c.failedEvents()...)
	}
	found = append(found, c.keptEvents()...)
	if c.Hold.ended() && Kept(next) == nil && next.LastError != "" && next.LastError != old.LastError {
		found = append(found, onBoth(c.Hold, corev1.EventTypeWarning, EventReleaseFailed,
			"could not give back node %s for %s: %s", node, c.Hold.Name, next.LastError)...)
	}
	return append(found, c.expirationEvents()...)
}

// failedEvents are about a drain that has failed: too late, or because a gate says so.
func (c StatusWritten) failedEvents() []Event {
	node, message := c.Hold.Spec.NodeName, ConditionMessage(c.Next, v1beta1.ConditionDrained)
	if ConditionReason(c.Next, v1beta1.ConditionDrained) == v1beta1.ReasonLeaseLost {
		return onBoth(c.Hold, corev1.EventTypeWarning, EventMaintenanceFailed, "node %s: %s (%s)", node, c.Next.LastError, c.Hold.Name)
	}
	return onBoth(c.Hold, corev1.EventTypeWarning, EventDrainTimedOut, "on node %s %s (%s)", node, message, c.Hold.Name)
}

// drainEvents are about a drain that is done, or begins again.
func (c StatusWritten) drainEvents() []Event {
	h, node := c.Hold, c.Hold.Spec.NodeName
	switch {
	case Drained(c.Next) && !Drained(c.Old):
		return onBoth(h, corev1.EventTypeNormal, EventDrainSucceeded, "%s (%s)", ConditionMessage(c.Next, v1beta1.ConditionDrained), h.Name)
	case !draining(c.Next) || !Drained(c.Old):
		return nil
	case c.Next.ObservedGeneration != c.Old.ObservedGeneration:
		return onBoth(h, corev1.EventTypeNormal, EventDrainRestarted,
			"%s was changed and drains node %s again: %s to leave", h.Name, node, english.Plural(int(c.Next.PendingPodCount), "pod is", "pods are"))
	default:
		return onBoth(h, corev1.EventTypeWarning, EventDrainRestarted,
			"%s came to drained node %s; %s drains it again", english.Plural(int(c.Next.PendingPodCount), "pod", ""), node, h.Name)
	}
}

func (c StatusWritten) expirationEvents() []Event {
	if !IsExpiring(c.Next) || IsExpiring(c.Old) {
		return nil
	}
	return onBoth(c.Hold, corev1.EventTypeWarning, EventHoldExpiring, "%s, on node %s: %s",
		holder(c.Hold), c.Hold.Spec.NodeName, ConditionMessage(c.Next, v1beta1.ConditionExpiring))
}

// cordonEvents are about a node that cannot be cordoned. That a node does not exist is told only on the
// hold.
func (c StatusWritten) cordonEvents() []Event {
	reason := ConditionReason(c.Next, v1beta1.ConditionCordoned)
	if reason == ConditionReason(c.Old, v1beta1.ConditionCordoned) {
		return nil
	}
	message := ConditionMessage(c.Next, v1beta1.ConditionCordoned)
	onHold := Event{Kind: corev1.EventTypeWarning, Message: message, Holds: []Hold{c.Hold}}
	switch reason {
	case v1beta1.ReasonNodeNotFound:
		onHold.Reason = EventNodeNotFound
		return []Event{onHold}
	case v1beta1.ReasonNodeDeleted:
		onHold.Reason = EventNodeDeleted
		return []Event{onHold}
	case v1beta1.ReasonCordonFailed:
		return onBoth(c.Hold, corev1.EventTypeWarning, EventCordonFailed, "could not cordon node %s: %s", c.Hold.Spec.NodeName, message)
	case v1beta1.ReasonLeaseHeld:
		return onBoth(c.Hold, corev1.EventTypeNormal, EventLeaseHeld, "%s (%s)", message, c.Hold.Name)
	case v1beta1.ReasonLeaseLost:
		return onBoth(c.Hold, corev1.EventTypeWarning, EventLeaseLost, "%s (%s)", message, c.Hold.Name)
	default:
		return nil
	}
}
