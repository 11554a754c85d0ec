// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// Reasons of the events, on the NodeMaintenance, on the Node, or on both.
const (
	EventMaintenanceStarted = "MaintenanceStarted"
	EventMaintenanceEnded   = "MaintenanceEnded"
	EventNodeNotFound       = "NodeNotFound"
	EventNodeDeleted        = "NodeDeleted"
	EventNodeReplaced       = "NodeReplaced"
	EventNodeCordoned       = "NodeCordoned"
	EventNodeUncordoned     = "NodeUncordoned"
	EventCordonFailed       = "CordonFailed"
	EventReleaseFailed      = "ReleaseFailed"
	EventReleaseHeld        = "ReleaseHeld"
	EventLeaseHeld          = "LeaseHeld"
	EventLeaseLost          = "LeaseLost"
	EventMaintenanceFailed  = "MaintenanceFailed"
	EventDriftRepaired      = "DriftRepaired"
	EventDrainSucceeded     = "DrainSucceeded"
	EventDrainBlocked       = "DrainBlocked"
	EventDrainTimedOut      = "DrainTimedOut"
	EventDrainRestarted     = "DrainRestarted"
	EventNodeLeftBehind     = "NodeLeftBehind"
	EventUnreadable         = "MaintenanceUnreadable"
	EventHoldExpiring       = "HoldExpiring"
	EventHoldExpired        = "HoldExpired"
)

// Event is an event that tells people of a change.
type Event struct {
	Kind, Reason, Message string
	// Node is the node that the event is written on; empty: none.
	Node string
	// Holds are the holds that it is written on.
	Holds []Hold
}

// Events implements Change.
func (c NodeCordoned) Events() []Event {
	changes := strings.Join(c.Changes, ", ")
	if c.Repair {
		return []Event{{
			Kind: corev1.EventTypeWarning, Reason: EventDriftRepaired, Node: c.Node, Holds: c.Holds,
			Message: fmt.Sprintf("node %s is held by %s, and somebody changed that: %s again", c.Node, holders(c.Holds), changes),
		}}
	}
	return []Event{{
		Kind: corev1.EventTypeNormal, Reason: EventNodeCordoned, Node: c.Node, Holds: c.Holds,
		Message: fmt.Sprintf("node %s is cordoned: %s", c.Node, changes),
	}}
}

// Events implements Change.
func (c NodeGivenBack) Events() []Event {
	message := "node %s is given back and can be scheduled to"
	if c.CordonedBefore {
		message = "node %s is given back; it was cordoned before its maintenance and stays so"
	}
	return []Event{{
		Kind: corev1.EventTypeNormal, Reason: EventNodeUncordoned, Node: c.Node, Holds: c.Holds,
		Message: fmt.Sprintf(message, c.Node),
	}}
}

// Events implements Change.
func (c NodeLeftBehind) Events() []Event {
	return []Event{{
		Kind: corev1.EventTypeWarning, Reason: EventNodeLeftBehind, Node: c.Node,
		Message: fmt.Sprintf("node %s was cordoned by another maintenance server (store %q), which this one does not know: "+
			"if that server is gone, uncordon the node, and remove the taint %s, the label %s and the annotation %s by hand",
			c.Node, c.StoreID, v1beta1.DrainTaint, v1beta1.ExcludeFromRemediationLabel, v1beta1.HoldsAnnotation),
	}}
}

// Events implements Change.
func (c NodeUnread) Events() []Event {
	return []Event{{
		Kind: corev1.EventTypeWarning, Reason: EventUnreadable, Node: c.Node,
		Message: fmt.Sprintf("node %s is not given back: the server cannot read what it has stored of NodeMaintenance %s", c.Node, strings.Join(c.Holds, ", ")),
	}}
}

// Events are none for a hold of which no event said that it began, since nothing was done to the node.
func (c HoldEnded) Events() []Event {
	if c.Hold.Present.NodeBefore == nil {
		return nil
	}
	message := "%s ended its hold on node %s"
	if c.NodeKept {
		message += ", which other holds keep in maintenance"
	}
	return onBoth(c.Hold, corev1.EventTypeNormal, EventMaintenanceEnded, message, holder(c.Hold), c.Hold.Spec.NodeName)
}

// Events implements Change.
func (c HoldExpired) Events() []Event {
	return onBoth(c.Hold, corev1.EventTypeNormal, EventHoldExpired, "%s ends its maintenance of node %s: its time was over at %s",
		holder(c.Hold), c.Hold.Spec.NodeName, c.End.UTC().Format(time.RFC3339))
}

// Events implements Change.
func (c DrainBlocked) Events() []Event {
	return onBoth(c.Hold, corev1.EventTypeWarning, EventDrainBlocked, "%s of node %s %s kept from leaving: %s",
		english.Plural(int(c.Status.BlockedPodCount), "pod", ""), c.Hold.Spec.NodeName,
		english.PluralWord(int(c.Status.BlockedPodCount), "is", "are"), ConditionMessage(c.Status, v1beta1.ConditionBlocked))
}

// onBoth is an event on the hold and on its node.
func onBoth(h Hold, kind, reason, format string, args ...any) []Event {
	return []Event{{
		Kind: kind, Reason: reason, Node: h.Spec.NodeName, Holds: []Hold{h}, Message: fmt.Sprintf(format, args...),
	}}
}

func holder(h Hold) string {
	if h.Spec.Requestor == "" {
		return h.Name
	}
	return fmt.Sprintf("%s (%s)", h.Name, h.Spec.Requestor)
}

// holders names the first of the holds, and whose they are.
func holders(holds []Hold) string {
	names := make([]string, 0, len(holds))
	for _, h := range holds {
		names = append(names, holder(h))
	}
	return quote.Names(names, quote.MaxNames)
}

func reasonGiven(h Hold) string {
	if h.Spec.Reason == "" {
		return "no reason given"
	}
	return h.Spec.Reason
}
