// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ScheduledEvent is something that a cloud, or a person, announced for the machine of a node: it is rebooted on
// Tuesday, or stopped for good. The server drains the node in time, with a NodeMaintenance of its own. Then it
// gives the node back when the machine has come back, or has the machine replaced, as the code of the event asks
// for. Deleting a ScheduledEvent withdraws all that it has begun and that can be undone: the node is given back.
type ScheduledEvent struct {
	metav1.TypeMeta
	// Standard object's metadata.
	metav1.ObjectMeta

	// spec is what was announced.
	Spec ScheduledEventSpec
	// status is what the server makes of it. Only the server writes it.
	Status ScheduledEventStatus

	// Unknown is what a newer version of the server has stored in this object. See NodeMaintenance.
	// +k8s:conversion-gen=false
	Unknown UnknownFields
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ScheduledEventList is a list of ScheduledEvents.
type ScheduledEventList struct {
	metav1.TypeMeta
	// Standard list metadata.
	metav1.ListMeta

	// items are the ScheduledEvents.
	Items []ScheduledEvent
}

// ScheduledEventSpec is what was announced. At least one of nodeName, instanceID and machineRef says which node is
// meant. If several do, they must mean the same node. Only state, description and the three times may change.
// Whoever writes or deletes it needs the permission to schedule maintenance of the node: the verb schedule on
// nodes/maintenance. While no node is known, or if only machineRef says which one, that is needed for all nodes.
type ScheduledEventSpec struct {
	// source is who announced the event, such as tickets. A DNS label. The source aws is what the server itself
	// reads from AWS: only the server uses it. Defaults to manual. Immutable.
	Source string
	// eventID is the id of the event at its source. At most 253 characters. Immutable.
	EventID string
	// code is what happens to the machine. instance-reboot, system-reboot and system-maintenance: it goes and comes
	// back, so the node is drained and given back afterwards. instance-stop and instance-retirement: it does not
	// come back, so the node is drained and its machine replaced. Nothing is done for other codes, unless
	// spec.events of a MaintenancePolicy of the node says what. The codes are those of AWS. Lower-case letters,
	// digits and dashes, at most 63. Required. Immutable.
	Code string
	// nodeName is the name of the node. Immutable.
	NodeName string
	// instanceID is the id of the machine at the cloud, such as i-0abcd1234. It is the last part of the
	// spec.providerID of the node. Immutable.
	InstanceID string
	// machineRef is the Machine of OpenShift or Cluster API that is the node's. Immutable.
	MachineRef *MachineReference
	// notBefore is when the event happens at the earliest. The node is empty by then. If neither notBefore nor
	// deadline nor notAfter is set, the event can happen at any time: the drain starts as soon as policies allow it, and
	// not in spite of them.
	NotBefore *metav1.Time
	// notAfter is when the event has ended at the latest. If neither notBefore nor deadline is set, the node is empty by
	// notAfter.
	NotAfter *metav1.Time
	// deadline is until when notBefore can be put off at the source. If notBefore is not set, the node is empty by
	// the deadline.
	Deadline *metav1.Time
	// description is what the source says of the event. At most 1,024 characters on one line, without control
	// characters and invisible ones.
	Description string
	// state is what the source says now. Scheduled: the event is to happen, or happens. Canceled: it does not
	// happen; the node is given back. Completed: it has happened; the node is given back when it is Ready. Defaults
	// to Scheduled. Canceled and Completed stay.
	State ScheduledEventState
}

// ScheduledEventState is what the source says of an event now.
// +enum
type ScheduledEventState string

const (
	// EventScheduled means that the event is to happen, or happens.
	EventScheduled ScheduledEventState = "Scheduled"
	// EventCanceled means that the event does not happen.
	EventCanceled ScheduledEventState = "Canceled"
	// EventCompleted means that the event has happened.
	EventCompleted ScheduledEventState = "Completed"
)

// The codes of AWS that the server knows.
const (
	// CodeInstanceReboot is a reboot of the machine.
	CodeInstanceReboot = "instance-reboot"
	// CodeSystemReboot is a reboot of the machine's host.
	CodeSystemReboot = "system-reboot"
	// CodeSystemMaintenance is maintenance of the machine's host: it loses power or network for a moment.
	CodeSystemMaintenance = "system-maintenance"
	// CodeInstanceStop stops the machine.
	CodeInstanceStop = "instance-stop"
	// CodeInstanceRetirement stops or terminates the machine, because its host fails.
	CodeInstanceRetirement = "instance-retirement"
)

// MachineReference names a Machine of OpenShift or of Cluster API.
type MachineReference struct {
	// apiGroup is machine.openshift.io or cluster.x-k8s.io. Required.
	APIGroup string
	// namespace is the namespace of the Machine. Required.
	Namespace string
	// name is the name of the Machine. Required.
	Name string
}

// The groups of Machines.
const (
	// OpenShiftMachineGroup is the group of OpenShift's Machine API.
	OpenShiftMachineGroup = "machine.openshift.io"
	// ClusterAPIGroup is the group of Cluster API.
	ClusterAPIGroup = "cluster.x-k8s.io"
)

// ScheduledEventStatus is what the server makes of an event.
type ScheduledEventStatus struct {
	// observedGeneration is the metadata.generation that this status describes.
	ObservedGeneration int64
	// phase is how far the server is. Pending: the node is not cordoned for the event. Draining: the node is cordoned and
	// being drained. Drained: the node is empty and waits for the event. Replacing: the machine is being replaced; with
	// SurgeFirst, the node is only cordoned at first. Returning: the machine has come back, and the node is being given
	// back. Completed, Canceled and Ignored: nothing is to be done any more; outcome says what happened.
	Phase ScheduledEventPhase
	// nodeName is the node that the event is about. Not set while none is found.
	NodeName string
	// nodeUID is the UID of that node.
	NodeUID types.UID
	// action is what is done: Drain, Replace or Ignore.
	Action EventAction
	// policy is the MaintenancePolicy that chose the action. Not set if it is the default of the code.
	Policy string
	// maintenance is the name of the NodeMaintenance that serves the event.
	Maintenance string
	// expectedDrainSeconds is how long the drain is expected to take: by the plan of the node as it is now, and by
	// earlier drains.
	ExpectedDrainSeconds *int64
	// startTime is when the drain is to start, if policies agree. It is in the last opening of their schedules before
	// latestStartTime: an hour before latestStartTime if that is in the opening, else when the opening begins. Without
	// such an opening it is latestStartTime. If the server is to replace the machine, if the event has no time, or if it was
	// created after latestStartTime, it is when the event was created: the drain starts at once.
	StartTime *metav1.Time
	// latestStartTime is when the drain has to start to be done in time: when the node has to be empty, less
	// expectedDrainSeconds and a margin of 10 minutes. If a new machine is added first, it is also less the time that the
	// machine may take. It may be before the event was created. Policies are not asked any more then, unless one says
	// otherwise in spec.events. Not set if the event has no time.
	LatestStartTime *metav1.Time
	// drainStartTime is when the node was cordoned for the event. With SurgeFirst, pods leave only once the new node is
	// Ready, or once the drain has to start without it. If the replacement is given up, and the event has a time that
	// allows a later drain, the node is given back, and drainStartTime is not set until it is cordoned again.
	DrainStartTime *metav1.Time
	// drainedTime is when the node was empty.
	DrainedTime *metav1.Time
	// bootID is status.nodeInfo.bootID of the node before the drain, or after a restart that came before spec.notBefore of
	// an event of AWS. Another one says that the machine has come back.
	BootID string
	// replacement is how far the replacement of the machine is.
	Replacement *MachineReplacement
	// waitingFor is what the server waits for, in one sentence.
	WaitingFor string
	// outcome is how the event ended, in one sentence.
	Outcome string
	// endTime is when the event ended. The server deletes the object 7 days later. An event that is ignored ends a day
	// after the last of its times, or a day after it was created if it has none.
	EndTime *metav1.Time
	// conditions are Completed, which is True once nothing is to be done any more, and Blocked, which is True while a
	// person has to do something.
	Conditions []metav1.Condition
}

// ScheduledEventPhase is how far the server is with an event.
// +enum
type ScheduledEventPhase string

const (
	// EventPhasePending means that the node is not cordoned for the event.
	EventPhasePending ScheduledEventPhase = "Pending"
	// EventPhaseDraining means that the node is cordoned and being drained.
	EventPhaseDraining ScheduledEventPhase = "Draining"
	// EventPhaseDrained means that the node is empty and waits for the event.
	EventPhaseDrained ScheduledEventPhase = "Drained"
	// EventPhaseReplacing means that the machine is being replaced.
	EventPhaseReplacing ScheduledEventPhase = "Replacing"
	// EventPhaseReturning means that the node is being given back.
	EventPhaseReturning ScheduledEventPhase = "Returning"
	// EventPhaseCompleted means that the event has happened, and that nothing is to be done any more.
	EventPhaseCompleted ScheduledEventPhase = "Completed"
	// EventPhaseCanceled means that the event does not happen, and that the node was given back.
	EventPhaseCanceled ScheduledEventPhase = "Canceled"
	// EventPhaseIgnored means that nothing is done for the event. Until it has ended, a policy may still say what to do.
	EventPhaseIgnored ScheduledEventPhase = "Ignored"
)

// EventAction is what is done for an event.
// +enum
type EventAction string

const (
	// EventActionDrain drains the node, waits until the machine went and came back, and gives the node back.
	EventActionDrain EventAction = "Drain"
	// EventActionReplace drains the node and has its machine replaced.
	EventActionReplace EventAction = "Replace"
	// EventActionIgnore does nothing.
	EventActionIgnore EventAction = "Ignore"
)

// MachineReplacement is how far the replacement of a machine is. It is stored before anything is changed, so that a
// crash repeats nothing.
type MachineReplacement struct {
	// strategy is SurgeFirst or DeleteFirst.
	Strategy ReplacementStrategy
	// machine is the Machine that is replaced.
	Machine ReplacedObject
	// owner is what replaces the machine: a MachineSet, a MachineDeployment, or a controller of control planes.
	Owner *ReplacedObject
	// step is the next step.
	Step ReplacementStep
	// stepTime is when the present wait began. AwaitNewNode keeps the time of Surge. AwaitGone and AwaitReplaced keep the
	// time of Delete. When the server marks a machine to be deleted, the wait begins anew.
	StepTime *metav1.Time
	// timeoutSeconds is how long the new machine may take until its node is Ready, as the policies of the node said when
	// the replacement began.
	TimeoutSeconds *int64
	// newMachine is the name of the Machine that came instead.
	NewMachine string
	// newNode is the name of the node that came instead.
	NewNode string
	// failure is why the replacement was given up, in one sentence.
	Failure string
}

// ReplacedObject names an object that has to do with a replacement.
type ReplacedObject struct {
	// apiGroup is the group of the object's kind.
	APIGroup string
	// kind is the object's kind.
	Kind string
	// namespace is the namespace of the object.
	Namespace string
	// name is the name of the object.
	Name string
	// uid is the UID of the object. Another object of that name is never touched.
	UID types.UID
}

// ReplacementStrategy is in which order a machine is replaced.
// +enum
type ReplacementStrategy string

const (
	// SurgeFirst adds a machine, waits until its node is Ready, and then drains and deletes the old one.
	SurgeFirst ReplacementStrategy = "SurgeFirst"
	// DeleteFirst drains and deletes the old machine. Its owner adds a machine then.
	DeleteFirst ReplacementStrategy = "DeleteFirst"
)

// ReplacementStep is a step of a replacement.
// +enum
type ReplacementStep string

const (
	// StepSurge adds one machine to the owner.
	StepSurge ReplacementStep = "Surge"
	// StepAwaitNewNode waits until the node of the new machine is Ready.
	StepAwaitNewNode ReplacementStep = "AwaitNewNode"
	// StepAwaitDrain waits until the old node is empty.
	StepAwaitDrain ReplacementStep = "AwaitDrain"
	// StepDelete takes the old machine away. If one was added, it marks the old one as that to be deleted, and has its
	// owner have one machine less. Of the machines of an owner, one at a time is marked. Else it deletes the machine.
	StepDelete ReplacementStep = "Delete"
	// StepAwaitGone waits until the old machine is gone.
	StepAwaitGone ReplacementStep = "AwaitGone"
	// StepAwaitReplaced waits until the owner has all its machines again.
	StepAwaitReplaced ReplacementStep = "AwaitReplaced"
	// StepUndo takes the added machine and the marks away again.
	StepUndo ReplacementStep = "Undo"
	// StepReplaced is the end: the machine was replaced.
	StepReplaced ReplacementStep = "Replaced"
	// StepGivenUp is the end: the machine was not replaced, and what had been changed is undone.
	StepGivenUp ReplacementStep = "GivenUp"
)

// The conditions of a ScheduledEvent.
const (
	// ConditionCompleted is True once nothing is to be done any more.
	ConditionCompleted = "Completed"
)
