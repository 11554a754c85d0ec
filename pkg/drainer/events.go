// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

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
	eventMaintenanceStarted = "MaintenanceStarted"
	eventMaintenanceEnded   = "MaintenanceEnded"
	eventNodeNotFound       = "NodeNotFound"
	eventNodeDeleted        = "NodeDeleted"
	eventNodeReplaced       = "NodeReplaced"
	eventNodeCordoned       = "NodeCordoned"
	eventNodeUncordoned     = "NodeUncordoned"
	eventCordonFailed       = "CordonFailed"
	eventReleaseFailed      = "ReleaseFailed"
	eventReleaseHeld        = "ReleaseHeld"
	eventLeaseHeld          = "LeaseHeld"
	eventLeaseLost          = "LeaseLost"
	eventMaintenanceFailed  = "MaintenanceFailed"
	eventDriftRepaired      = "DriftRepaired"
	eventDrainSucceeded     = "DrainSucceeded"
	eventDrainBlocked       = "DrainBlocked"
	eventDrainTimedOut      = "DrainTimedOut"
	eventDrainRestarted     = "DrainRestarted"
	eventNodeLeftBehind     = "NodeLeftBehind"
	eventUnreadable         = "MaintenanceUnreadable"
	eventHoldExpiring       = "HoldExpiring"
	eventHoldExpired        = "HoldExpired"
)

// event is an event that tells people of a change.
type event struct {
	kind, reason, message string
	// node is the node that the event is written on; empty: none.
	node string
	// holds are the holds that it is written on.
	holds []hold
}

func (c nodeCordoned) events() []event {
	changes := strings.Join(c.changes, ", ")
	if c.repair {
		return []event{{
			kind: corev1.EventTypeWarning, reason: eventDriftRepaired, node: c.node, holds: c.holds,
			message: fmt.Sprintf("node %s is held by %s, and somebody changed that: %s again", c.node, holders(c.holds), changes),
		}}
	}
	return []event{{
		kind: corev1.EventTypeNormal, reason: eventNodeCordoned, node: c.node, holds: c.holds,
		message: fmt.Sprintf("node %s is cordoned: %s", c.node, changes),
	}}
}

func (c nodeGivenBack) events() []event {
	message := "node %s is given back and can be scheduled to"
	if c.cordonedBefore {
		message = "node %s is given back; it was cordoned before its maintenance and stays so"
	}
	return []event{{
		kind: corev1.EventTypeNormal, reason: eventNodeUncordoned, node: c.node, holds: c.holds,
		message: fmt.Sprintf(message, c.node),
	}}
}

func (c nodeLeftBehind) events() []event {
	return []event{{
		kind: corev1.EventTypeWarning, reason: eventNodeLeftBehind, node: c.node,
		message: fmt.Sprintf("node %s was cordoned by another maintenance server (store %q), which this one does not know: "+
			"if that server is gone, uncordon the node, and remove the taint %s, the label %s and the annotation %s by hand",
			c.node, c.storeID, v1beta1.DrainTaint, v1beta1.ExcludeFromRemediationLabel, v1beta1.HoldsAnnotation),
	}}
}

func (c nodeUnread) events() []event {
	return []event{{
		kind: corev1.EventTypeWarning, reason: eventUnreadable, node: c.node,
		message: fmt.Sprintf("node %s is not given back: the server cannot read what it has stored of NodeMaintenance %s", c.node, strings.Join(c.holds, ", ")),
	}}
}

// events are none for a hold of which no event said that it began, since nothing was done to the node.
func (c holdEnded) events() []event {
	if c.hold.present.NodeBefore == nil {
		return nil
	}
	message := "%s ended its hold on node %s"
	if c.nodeKept {
		message += ", which other holds keep in maintenance"
	}
	return onBoth(c.hold, corev1.EventTypeNormal, eventMaintenanceEnded, message, holder(c.hold), c.hold.Spec.NodeName)
}

func (c holdExpired) events() []event {
	return onBoth(c.hold, corev1.EventTypeNormal, eventHoldExpired, "%s ends its maintenance of node %s: its time was over at %s",
		holder(c.hold), c.hold.Spec.NodeName, c.end.UTC().Format(time.RFC3339))
}

func (c drainBlocked) events() []event {
	return onBoth(c.hold, corev1.EventTypeWarning, eventDrainBlocked, "%s of node %s %s kept from leaving: %s",
		english.Plural(int(c.status.BlockedPodCount), "pod", ""), c.hold.Spec.NodeName,
		english.PluralWord(int(c.status.BlockedPodCount), "is", "are"), conditionMessage(c.status, v1beta1.ConditionBlocked))
}

// onBoth is an event on the hold and on its node.
func onBoth(h hold, kind, reason, format string, args ...any) []event {
	return []event{{
		kind: kind, reason: reason, node: h.Spec.NodeName, holds: []hold{h}, message: fmt.Sprintf(format, args...),
	}}
}

func holder(h hold) string {
	if h.Spec.Requestor == "" {
		return h.Name
	}
	return fmt.Sprintf("%s (%s)", h.Name, h.Spec.Requestor)
}

// holders names the first of the holds, and whose they are.
func holders(holds []hold) string {
	names := make([]string, 0, len(holds))
	for _, h := range holds {
		names = append(names, holder(h))
	}
	return quote.Names(names, quote.MaxNames)
}

func reasonGiven(h hold) string {
	if h.Spec.Reason == "" {
		return "no reason given"
	}
	return h.Spec.Reason
}
