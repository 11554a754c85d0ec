// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package managedv1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// Source is spec.source of the ScheduledEvents that are MachineMaintenances.
	Source = "openshift"
	// MachineNamespace is where the operator looked for Machines, whichever namespace a MachineMaintenance was in.
	MachineNamespace = "openshift-machine-api"
	// DefaultCode is the code of a MachineMaintenance without one. The operator deleted the machine for any code.
	DefaultCode = v1beta1.CodeInstanceRetirement
)

// FromEvent returns an event as the MachineMaintenance that it is. It says no if it is none: its name is another, or is
// used for an event of another source. Who owns which fields stays in terms of the event.
func FromEvent(event *v1beta1.ScheduledEvent) (mm *MachineMaintenance, is bool) {
	namespace, name, is := SplitEventName(event.Name)
	if !is || event.Spec.Source != Source {
		return nil, false
	}
	mm = &MachineMaintenance{ObjectMeta: *event.ObjectMeta.DeepCopy(), Spec: specOf(event)}
	mm.Namespace, mm.Name, mm.UID = namespace, name, OtherUID(event.UID)
	return mm, true
}

func specOf(event *v1beta1.ScheduledEvent) MachineMaintenanceSpec {
	spec := MachineMaintenanceSpec{
		MaintenanceScheduled: done(event), EventCode: event.Spec.Code, EventID: event.Spec.EventID, MachineID: event.Spec.InstanceID,
	}
	if event.Spec.MachineRef != nil {
		spec.MachineLink = event.Spec.MachineRef.Name
	}
	return spec
}

// done says whether the operator would have said that it has scheduled the maintenance: it has sent the delete of the
// machine. It is also true of an event that has ended, or that its source says has happened.
func done(event *v1beta1.ScheduledEvent) bool {
	return event.Spec.State == v1beta1.EventCompleted || event.Status.EndTime != nil || machineDeleted(event.Status.Replacement)
}

// machineDeleted says whether the delete of the machine was sent.
func machineDeleted(replacement *v1beta1.MachineReplacement) bool {
	if replacement == nil {
		return false
	}
	switch replacement.Step {
	case v1beta1.StepAwaitGone, v1beta1.StepAwaitReplaced, v1beta1.StepReplaced:
		return true
	default:
		return false
	}
}

// NewEvent returns the event that a new MachineMaintenance asks for.
func NewEvent(mm *MachineMaintenance) *v1beta1.ScheduledEvent {
	event := &v1beta1.ScheduledEvent{
		ObjectMeta: eventMeta(mm),
		Spec: v1beta1.ScheduledEventSpec{
			Source: Source, EventID: mm.Spec.EventID, Code: mm.Spec.EventCode, InstanceID: mm.Spec.MachineID,
			MachineRef: &v1beta1.MachineReference{
				APIGroup: v1beta1.OpenShiftMachineGroup, Namespace: MachineNamespace, Name: mm.Spec.MachineLink,
			},
			State: v1beta1.EventScheduled,
		},
	}
	if event.Spec.Code == "" {
		event.Spec.Code = DefaultCode
	}
	if mm.Spec.MaintenanceScheduled {
		event.Spec.State = v1beta1.EventCompleted
	}
	return event
}

// Changed returns the stored event with what a client of MachineMaintenances has changed. What these cannot say stays as
// stored. The only field of the spec that may change is maintenancescheduled: see ValidateUpdate.
func Changed(stored *v1beta1.ScheduledEvent, written *MachineMaintenance) *v1beta1.ScheduledEvent {
	event := stored.DeepCopy()
	event.ObjectMeta = eventMeta(written)
	if written.Spec.MaintenanceScheduled && !done(stored) {
		event.Spec.State = v1beta1.EventCompleted
	}
	return event
}

func eventMeta(mm *MachineMaintenance) metav1.ObjectMeta {
	metadata := *mm.ObjectMeta.DeepCopy()
	metadata.Name, metadata.Namespace, metadata.UID = EventName(mm.Namespace, mm.Name), "", OtherUID(mm.UID)
	return metadata
}
