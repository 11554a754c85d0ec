// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// +genclient
// +genclient:nonNamespaced
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ScheduledEvent is something that a cloud, or a person, announced for the machine of a node: it is rebooted on
// Tuesday, or stopped for good. The server drains the node in time, with a NodeMaintenance of its own. Then it
// gives the node back when the machine has come back, or has the machine replaced, as the code of the event asks
// for. Deleting a ScheduledEvent withdraws all that it has begun and that can be undone: the node is given back.
type ScheduledEvent struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what was announced.
	// +optional
	Spec ScheduledEventSpec `json:"spec,omitempty"`
	// status is what the server makes of it. Only the server writes it.
	// +optional
	Status ScheduledEventStatus `json:"status,omitempty"`

	// Unknown is what a newer version of the server has stored in this object. See NodeMaintenance.
	Unknown UnknownFields `json:"-"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ScheduledEventList is a list of ScheduledEvents.
type ScheduledEventList struct {
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the ScheduledEvents.
	Items []ScheduledEvent `json:"items"`
}

// ScheduledEventSpec is what was announced. At least one of nodeName, instanceID and machineRef says which node is
// meant. If several do, they must mean the same node. Only state, description and the three times may change.
// Whoever writes or deletes it needs the permission to schedule maintenance of the node: the verb schedule on
// nodes/maintenance. While no node is known, or if only machineRef says which one, that is needed for all nodes.
type ScheduledEventSpec struct {
	// source is who announced the event, such as tickets. A DNS label. The source aws is what the server itself
	// reads from AWS: only the server uses it. Defaults to manual. Immutable.
	// +optional
	Source string `json:"source,omitempty"`
	// eventID is the id of the event at its source. At most 253 characters. Immutable.
	// +optional
	EventID string `json:"eventID,omitempty"`
	// code is what happens to the machine. instance-reboot, system-reboot and system-maintenance: it goes and comes
	// back, so the node is drained and given back afterwards. instance-stop and instance-retirement: it does not
	// come back, so the node is drained and its machine replaced. Nothing is done for other codes, unless
	// spec.events of a MaintenancePolicy of the node says what. The codes are those of AWS. Lower-case letters,
	// digits and dashes, at most 63. Required. Immutable.
	Code string `json:"code"`
	// nodeName is the name of the node. Immutable.
	// +optional
	NodeName string `json:"nodeName,omitempty"`
	// instanceID is the id of the machine at the cloud, such as i-0abcd1234. It is the last part of the
	// spec.providerID of the node. Immutable.
	// +optional
	InstanceID string `json:"instanceID,omitempty"`
	// machineRef is the Machine of OpenShift or Cluster API that is the node's. Immutable.
	// +optional
	MachineRef *MachineReference `json:"machineRef,omitempty"`
	// notBefore is when the event happens at the earliest. The node is empty by then. If neither notBefore nor
	// deadline nor notAfter is set, the event can happen at any time: the drain starts as soon as policies allow it, and
	// not in spite of them.
	// +optional
	NotBefore *metav1.Time `json:"notBefore,omitempty"`
	// notAfter is when the event has ended at the latest. If neither notBefore nor deadline is set, the node is empty by
	// notAfter.
	// +optional
	NotAfter *metav1.Time `json:"notAfter,omitempty"`
	// deadline is until when notBefore can be put off at the source. If notBefore is not set, the node is empty by
	// the deadline.
	// +optional
	Deadline *metav1.Time `json:"deadline,omitempty"`
	// description is what the source says of the event. At most 1,024 characters on one line, without control
	// characters and invisible ones.
	// +optional
	Description string `json:"description,omitempty"`
	// state is what the source says now. Scheduled: the event is to happen, or happens. Canceled: it does not
	// happen; the node is given back. Completed: it has happened; the node is given back when it is Ready. Defaults
	// to Scheduled. Canceled and Completed stay.
	// +optional
	State ScheduledEventState `json:"state,omitempty"`
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
	APIGroup string `json:"apiGroup"`
	// namespace is the namespace of the Machine. Required.
	Namespace string `json:"namespace"`
	// name is the name of the Machine. Required.
	Name string `json:"name"`
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
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// phase is how far the server is. Pending: the node is not cordoned for the event. Draining: the node is cordoned and
	// being drained. Drained: the node is empty and waits for the event. Replacing: the machine is being replaced; with
	// SurgeFirst, the node is only cordoned at first. Returning: the machine has come back, and the node is being given
	// back. Completed, Canceled and Ignored: nothing is to be done any more; outcome says what happened.
	// +optional
	Phase ScheduledEventPhase `json:"phase,omitempty"`
	// nodeName is the node that the event is about. Not set while none is found.
	// +optional
	NodeName string `json:"nodeName,omitempty"`
	// nodeUID is the UID of that node.
	// +optional
	NodeUID types.UID `json:"nodeUID,omitempty"`
	// action is what is done: Drain, Replace or Ignore.
	// +optional
	Action EventAction `json:"action,omitempty"`
	// policy is the MaintenancePolicy that chose the action. Not set if it is the default of the code.
	// +optional
	Policy string `json:"policy,omitempty"`
	// maintenance is the name of the NodeMaintenance that serves the event.
	// +optional
	Maintenance string `json:"maintenance,omitempty"`
	// expectedDrainSeconds is how long the drain is expected to take: by the plan of the node as it is now, and by
	// earlier drains.
	// +optional
	ExpectedDrainSeconds *int64 `json:"expectedDrainSeconds,omitempty"`
	// startTime is when the drain is to start, if policies agree. It is in the last opening of their schedules before
	// latestStartTime: an hour before latestStartTime if that is in the opening, else when the opening begins. Without
	// such an opening it is latestStartTime. If the server is to replace the machine, if the event has no time, or if it was
	// created after latestStartTime, it is when the event was created: the drain starts at once.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// latestStartTime is when the drain has to start to be done in time: when the node has to be empty, less
	// expectedDrainSeconds and a margin of 10 minutes. If a new machine is added first, it is also less the time that the
	// machine may take. It may be before the event was created. Policies are not asked any more then, unless one says
	// otherwise in spec.events. Not set if the event has no time.
	// +optional
	LatestStartTime *metav1.Time `json:"latestStartTime,omitempty"`
	// drainStartTime is when the node was cordoned for the event. With SurgeFirst, pods leave only once the new node is
	// Ready, or once the drain has to start without it. If the replacement is given up, and the event has a time that
	// allows a later drain, the node is given back, and drainStartTime is not set until it is cordoned again.
	// +optional
	DrainStartTime *metav1.Time `json:"drainStartTime,omitempty"`
	// drainedTime is when the node was empty.
	// +optional
	DrainedTime *metav1.Time `json:"drainedTime,omitempty"`
	// bootID is status.nodeInfo.bootID of the node before the drain, or after a restart that came before spec.notBefore of
	// an event of AWS. Another one says that the machine has come back.
	// +optional
	BootID string `json:"bootID,omitempty"`
	// replacement is how far the replacement of the machine is.
	// +optional
	Replacement *MachineReplacement `json:"replacement,omitempty"`
	// waitingFor is what the server waits for, in one sentence.
	// +optional
	WaitingFor string `json:"waitingFor,omitempty"`
	// outcome is how the event ended, in one sentence.
	// +optional
	Outcome string `json:"outcome,omitempty"`
	// endTime is when the event ended. The server deletes the object 7 days later. An event that is ignored ends a day
	// after the last of its times, or a day after it was created if it has none.
	// +optional
	EndTime *metav1.Time `json:"endTime,omitempty"`
	// conditions are Completed, which is True once nothing is to be done any more, and Blocked, which is True while a
	// person has to do something.
	// +optional
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
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
	Strategy ReplacementStrategy `json:"strategy"`
	// machine is the Machine that is replaced.
	Machine ReplacedObject `json:"machine"`
	// owner is what replaces the machine: a MachineSet, a MachineDeployment, or a controller of control planes.
	// +optional
	Owner *ReplacedObject `json:"owner,omitempty"`
	// step is the next step.
	Step ReplacementStep `json:"step"`
	// stepTime is when the present wait began. AwaitNewNode keeps the time of Surge. AwaitGone and AwaitReplaced keep the
	// time of Delete. When the server marks a machine to be deleted, the wait begins anew.
	// +optional
	StepTime *metav1.Time `json:"stepTime,omitempty"`
	// timeoutSeconds is how long the new machine may take until its node is Ready, as the policies of the node said when
	// the replacement began.
	// +optional
	TimeoutSeconds *int64 `json:"timeoutSeconds,omitempty"`
	// newMachine is the name of the Machine that came instead.
	// +optional
	NewMachine string `json:"newMachine,omitempty"`
	// newNode is the name of the node that came instead.
	// +optional
	NewNode string `json:"newNode,omitempty"`
	// failure is why the replacement was given up, in one sentence.
	// +optional
	Failure string `json:"failure,omitempty"`
}

// ReplacedObject names an object that has to do with a replacement.
type ReplacedObject struct {
	// apiGroup is the group of the object's kind.
	APIGroup string `json:"apiGroup"`
	// kind is the object's kind.
	Kind string `json:"kind"`
	// namespace is the namespace of the object.
	Namespace string `json:"namespace"`
	// name is the name of the object.
	Name string `json:"name"`
	// uid is the UID of the object. Another object of that name is never touched.
	UID types.UID `json:"uid"`
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
