// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const eventComponent = "maintenance-apiserver"

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
	eventDriftRepaired      = "DriftRepaired"
	eventDrainSucceeded     = "DrainSucceeded"
	eventDrainBlocked       = "DrainBlocked"
	eventDrainTimedOut      = "DrainTimedOut"
	eventDrainRestarted     = "DrainRestarted"
	eventNodeLeftBehind     = "NodeLeftBehind"
	eventHoldExpiring       = "HoldExpiring"
	eventHoldExpired        = "HoldExpired"
)

// newRecorder returns a recorder that writes events through the client, until stop is called.
func newRecorder(client kubernetes.Interface) (recorder record.EventRecorder, stop func()) {
	broadcaster := record.NewBroadcaster()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: eventComponent}), broadcaster.Shutdown
}

// events writes what happens to people. Each is written at a change, never at a repetition.
type events struct{ recorder record.EventRecorder }

func (e events) onHold(h hold, kind, reason, format string, args ...any) {
	e.recorder.Event(&corev1.ObjectReference{
		APIVersion: v1beta1.SchemeGroupVersion.String(), Kind: "NodeMaintenance",
		Name: h.Name, UID: h.UID, ResourceVersion: h.ResourceVersion,
	}, kind, reason, bounded(fmt.Sprintf(format, args...), maxMessageBytes))
}

// onNode gives the node's name for its UID, as the kubelet does: every version of kubectl
// describe looks for those.
func (e events) onNode(name, kind, reason, format string, args ...any) {
	e.recorder.Event(&corev1.ObjectReference{
		APIVersion: "v1", Kind: "Node", Name: name, UID: types.UID(name),
	}, kind, reason, bounded(fmt.Sprintf(format, args...), maxMessageBytes))
}

// onBoth is for what concerns the node and all its holds.
func (e events) onBoth(node string, holds []hold, kind, reason, format string, args ...any) {
	e.onNode(node, kind, reason, format, args...)
	for _, h := range holds {
		e.onHold(h, kind, reason, format, args...)
	}
}

// transition is an event that a change of a hold's status is worth.
type transition struct {
	kind, reason, message string
	// alsoOnNode says that it concerns those who look at the node too.
	alsoOnNode bool
}

// transitions are the events that the change from one status to the next is worth.
func transitions(h hold, old, next v1beta1.NodeMaintenanceStatus) []transition {
	found := cordonTransitions(h, old, next)
	note := func(kind, reason, format string, args ...any) {
		found = append(found, transition{kind: kind, reason: reason, message: fmt.Sprintf(format, args...), alsoOnNode: true})
	}
	node := h.Spec.NodeName
	switch {
	case next.NodeUID != old.NodeUID && old.NodeUID != "":
		note(corev1.EventTypeWarning, eventNodeReplaced, "node %s is a new one of that name: its maintenance starts anew for %s", node, h.Name)
	case next.NodeBefore != nil && old.NodeBefore == nil:
		note(corev1.EventTypeNormal, eventMaintenanceStarted, "%s takes node %s out of service: %s", holder(h), node, reasonGiven(h))
	}
	found = append(found, drainTransitions(h, old, next)...)
	if next.Phase == v1beta1.PhaseFailed && old.Phase != v1beta1.PhaseFailed {
		note(corev1.EventTypeWarning, eventDrainTimedOut, "on node %s %s (%s)", node, conditionMessage(next, v1beta1.ConditionDrained), h.Name)
	}
	if h.ended() && next.LastError != "" && next.LastError != old.LastError {
		note(corev1.EventTypeWarning, eventReleaseFailed, "could not release node %s from %s: %s", node, h.Name, next.LastError)
	}
	return append(found, expirationTransitions(h, old, next)...)
}

// drainTransitions are the events about a drain that is done, or begins again.
func drainTransitions(h hold, old, next v1beta1.NodeMaintenanceStatus) []transition {
	said := transition{kind: corev1.EventTypeNormal, alsoOnNode: true}
	switch {
	case drained(next) && !drained(old):
		said.reason = eventDrainSucceeded
		said.message = fmt.Sprintf("%s (%s)", conditionMessage(next, v1beta1.ConditionDrained), h.Name)
	case !draining(next) || !drained(old):
		return nil
	case next.ObservedGeneration != old.ObservedGeneration:
		said.reason = eventDrainRestarted
		said.message = fmt.Sprintf("%s was changed and drains node %s anew: %d pods are to leave", h.Name, h.Spec.NodeName, next.PendingPodCount)
	default:
		said.kind, said.reason = corev1.EventTypeWarning, eventDrainRestarted
		said.message = fmt.Sprintf("%d pods came to drained node %s; %s drains it again", next.PendingPodCount, h.Spec.NodeName, h.Name)
	}
	return []transition{said}
}

func expirationTransitions(h hold, old, next v1beta1.NodeMaintenanceStatus) []transition {
	if !isExpiring(next) || isExpiring(old) {
		return nil
	}
	message := fmt.Sprintf("%s, on node %s: %s", holder(h), h.Spec.NodeName, conditionMessage(next, v1beta1.ConditionExpiring))
	return []transition{{kind: corev1.EventTypeWarning, reason: eventHoldExpiring, message: message, alsoOnNode: true}}
}

// cordonTransitions are the events about a node that cannot be cordoned. That there is none
// concerns only those who look at the hold.
func cordonTransitions(h hold, old, next v1beta1.NodeMaintenanceStatus) []transition {
	reason := conditionReason(next, v1beta1.ConditionCordoned)
	if reason == conditionReason(old, v1beta1.ConditionCordoned) {
		return nil
	}
	message := conditionMessage(next, v1beta1.ConditionCordoned)
	switch reason {
	case v1beta1.ReasonNodeNotFound:
		return []transition{{kind: corev1.EventTypeWarning, reason: eventNodeNotFound, message: message}}
	case v1beta1.ReasonNodeDeleted:
		return []transition{{kind: corev1.EventTypeWarning, reason: eventNodeDeleted, message: message}}
	case v1beta1.ReasonCordonFailed:
		message = fmt.Sprintf("could not cordon node %s: %s", h.Spec.NodeName, message)
		return []transition{{kind: corev1.EventTypeWarning, reason: eventCordonFailed, message: message, alsoOnNode: true}}
	default:
		return nil
	}
}

func conditionReason(status v1beta1.NodeMaintenanceStatus, kind string) string {
	if condition := apimeta.FindStatusCondition(status.Conditions, kind); condition != nil {
		return condition.Reason
	}
	return ""
}

func conditionMessage(status v1beta1.NodeMaintenanceStatus, kind string) string {
	if condition := apimeta.FindStatusCondition(status.Conditions, kind); condition != nil {
		return condition.Message
	}
	return ""
}

func holder(h hold) string {
	if h.Spec.Requestor == "" {
		return h.Name
	}
	return fmt.Sprintf("%s (%s)", h.Name, h.Spec.Requestor)
}

func reasonGiven(h hold) string {
	if h.Spec.Reason == "" {
		return "no reason given"
	}
	return h.Spec.Reason
}
