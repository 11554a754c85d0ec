// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Decision is what follows from the facts.
type Decision struct {
	// Status is what the status of the event is to say. status.replacement is as it was: the replacement sets it.
	Status v1beta1.ScheduledEventStatus
	// Hold is the hold that is wanted. Nil: none; one that is there is to be deleted. A wanted hold that is being
	// deleted, because a person did that, is made again once it is gone.
	Hold *Hold
	// MayReplace says that the replacement of the machine may begin, and take each step but the one that takes the machine
	// away.
	MayReplace bool
	// MayDelete says that the machine may be taken away: the hold is the event's own and drains the whole node, and the
	// node is empty.
	MayDelete bool
	// Undo says that the event is withdrawn, or ends, and that what the replacement has changed is to be undone, unless the
	// machine is already going.
	Undo bool
	// Finalized says that everything is withdrawn, so that the finalizer of a deleted event may go.
	Finalized bool
	// Expired says that the event ended so long ago that its object is to be deleted.
	Expired bool
	// Notes are the Kubernetes events to send. They follow from what changes, so each is sent once.
	Notes []Note
	// Again is the time when the decision may change by time alone; zero: never.
	Again time.Time
}

// Hold is a hold as it is wanted. It drains all pods: its spec.drain is empty.
type Hold struct {
	// Name is the name of the NodeMaintenance.
	Name string
	// Node is spec.nodeName.
	Node string
	// Requestor is spec.requestor.
	Requestor string
	// Reason is spec.reason.
	Reason string
	// Stage is spec.stage: Cordon or Drain.
	Stage v1beta1.MaintenanceStage
	// NotBefore and StartDeadline are spec.notBefore and spec.startDeadline; zero: not set.
	NotBefore, StartDeadline time.Time
	// Bypass is spec.bypassPolicies.
	Bypass bool
}

// Note is a Kubernetes event about a ScheduledEvent.
type Note struct {
	// Type is corev1.EventTypeNormal or corev1.EventTypeWarning.
	Type string
	// Reason is one of the reasons of this package.
	Reason string
	// Message is a sentence with names and times.
	Message string
	// OnNode says that the node is told as well.
	OnNode bool
}

// Ended says whether nothing is to be done any more for the event, and for good: it was completed or canceled, or ignored
// until it was over.
func Ended(event *v1beta1.ScheduledEvent) bool { return event.Status.EndTime != nil }

// Withdrawn says whether the event does not happen, or is being deleted.
func Withdrawn(event *v1beta1.ScheduledEvent) bool {
	return event.DeletionTimestamp != nil || event.Spec.State == v1beta1.EventCanceled
}
