// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +genclient:nonNamespaced
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenanceProfile says what happens around the maintenance of the nodes that it selects: when it is
// required, when it may start, what is done before, during and after it, and who is told. On each node, a
// profile is in one of three states: Operational, MaintenanceRequired and InMaintenance. Transitions lead
// from one state to another when their checks pass. A NodeProfile shows where a node is. A node can have
// several profiles, of which one at a time is InMaintenance.
type MaintenanceProfile struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata. The name is a DNS label.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is which nodes the profile is for, and what it does.
	// +optional
	Spec MaintenanceProfileSpec `json:"spec,omitempty"`
	// status is what the profile means now. Only the server writes it.
	// +optional
	Status MaintenanceProfileStatus `json:"status,omitempty"`

	// Unknown is what a newer version of the server has stored in this object. See NodeMaintenance.
	Unknown UnknownFields `json:"-"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenanceProfileList is a list of MaintenanceProfiles.
type MaintenanceProfileList struct {
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the MaintenanceProfiles.
	Items []MaintenanceProfile `json:"items"`
}

// MaintenanceProfileSpec is which nodes a profile is for, and what it does. As JSON, it has at most 256 KiB.
type MaintenanceProfileSpec struct {
	// alias is the name of the profile in the labels of nodes, in templates and in metrics, where a former
	// controller has used another one. From 1 to 63 letters, digits, "-", "_" and ".", the first and the last one a
	// letter or digit, without "--"; no two profiles have the same. If not set, it is metadata.name.
	// +optional
	Alias string `json:"alias,omitempty"`
	// mode is what the profile does. Active evaluates the checks and acts. DryRun evaluates them and says in
	// the NodeProfiles what it would do, but changes nothing and notifies nobody. Paused does neither; a
	// transition that was recorded already goes on to its end. Defaults to Active.
	// +optional
	Mode ProfileMode `json:"mode,omitempty"`
	// priority is whose nodes go first if several profiles compete for the same place: those of the profile
	// with the higher one. From -100 to 100. Defaults to 0.
	// +optional
	Priority int32 `json:"priority,omitempty"`
	// nodes are the nodes that the profile is for: those that at least one of its fields selects. Required.
	Nodes ProfileNodes `json:"nodes"`
	// onDetach is what happens on a node that the profile selects no more, and when the profile is deleted.
	// Finish goes on until the node is Operational again. Release deletes the hold at once, so that the node
	// is given back, stops a Job that runs there, and forgets the state. Defaults to Finish.
	// +optional
	OnDetach DetachAction `json:"onDetach,omitempty"`
	// nodeGoneSeconds is how long a node that does not exist any more keeps its state, its hold and its
	// place. A new node of the same name starts as Operational at once. From 0 to 86400. Defaults to 600
	// (10 minutes).
	// +optional
	NodeGoneSeconds *int64 `json:"nodeGoneSeconds,omitempty"`
	// checks are what transitions ask. At most 64.
	// +optional
	// +listType=map
	// +listMapKey=name
	Checks []ProfileCheck `json:"checks,omitempty"`
	// triggers are what transitions and states do. At most 64.
	// +optional
	// +listType=map
	// +listMapKey=name
	Triggers []ProfileTrigger `json:"triggers,omitempty"`
	// notifiers are how people are told. At most 16.
	// +optional
	// +listType=map
	// +listMapKey=name
	Notifiers []ProfileNotifier `json:"notifiers,omitempty"`
	// states are what is done in each state, and how it is left.
	// +optional
	States ProfileStates `json:"states,omitempty,omitzero"`
}

// ProfileMode is what a profile does.
// +enum
type ProfileMode string

const (
	// ProfileActive evaluates the checks and acts.
	ProfileActive ProfileMode = "Active"
	// ProfileDryRun evaluates the checks and says what it would do.
	ProfileDryRun ProfileMode = "DryRun"
	// ProfilePaused does nothing new.
	ProfilePaused ProfileMode = "Paused"
)

// DetachAction is what happens on a node that a profile selects no more.
// +enum
type DetachAction string

const (
	// DetachFinish goes on until the node is Operational again.
	DetachFinish DetachAction = "Finish"
	// DetachRelease deletes the hold at once and forgets the state.
	DetachRelease DetachAction = "Release"
)

// ProfileNodes selects nodes. A node is selected if at least one of the fields selects it. At least one must
// be set.
type ProfileNodes struct {
	// selector selects nodes by their labels. The empty selector {} selects all nodes. A kubelet may set
	// most labels of its own node; where that matters, select by labels that begin with
	// node-restriction.kubernetes.io/.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// names selects nodes by their names. At most 1000.
	// +optional
	// +listType=set
	Names []string `json:"names,omitempty"`
	// byLabel selects the nodes whose label cloud.sap/maintenance-profile names the alias. The label has
	// the aliases of all profiles of a node, joined with "--", such as flatcar--esx. Another label can be
	// set with the flag --profile-label. Defaults to false.
	// +optional
	ByLabel bool `json:"byLabel,omitempty"`
	// unlabelled selects the nodes that do not have that label, or an empty one. Defaults to false.
	// +optional
	Unlabelled bool `json:"unlabelled,omitempty"`
}

// ProfileStates are what a profile does in its states.
type ProfileStates struct {
	// operational is the state in which a node does its work. Each node begins in it.
	// +optional
	Operational ProfileStateSpec `json:"operational,omitempty,omitzero"`
	// maintenanceRequired is the state in which a node needs maintenance and waits for it.
	// +optional
	MaintenanceRequired ProfileStateSpec `json:"maintenanceRequired,omitempty,omitzero"`
	// inMaintenance is the state in which the maintenance takes place. On each node, only one profile at a
	// time is in it.
	// +optional
	InMaintenance ProfileStateSpec `json:"inMaintenance,omitempty,omitzero"`
}

// ProfileState is a state of a profile on a node.
// +enum
type ProfileState string

const (
	// ProfileOperational means that the node does its work.
	ProfileOperational ProfileState = "Operational"
	// ProfileMaintenanceRequired means that the node needs maintenance and waits for it.
	ProfileMaintenanceRequired ProfileState = "MaintenanceRequired"
	// ProfileInMaintenance means that the maintenance takes place.
	ProfileInMaintenance ProfileState = "InMaintenance"
)

// ProfileStateSpec is what a profile does in a state, and how the state is left.
type ProfileStateSpec struct {
	// hold takes the node out of service exactly while the profile is in this state: the server creates a
	// NodeMaintenance, and deletes it when the state is left for one without a hold. Transitions out of the
	// state wait until the hold has done what its stage asks for. If not set, the node is left alone.
	// +optional
	Hold *ProfileHold `json:"hold,omitempty"`
	// enter are the triggers that are done when the state is entered, one after the other, in this order.
	// Transitions are considered once they are done. They are not done when a profile comes to a node. At
	// most 16.
	// +optional
	// +listType=atomic
	Enter []string `json:"enter,omitempty"`
	// notify are the notifiers that are used while the profile is in this state. When they send is their
	// schedule's matter. At most 16.
	// +optional
	// +listType=set
	Notify []string `json:"notify,omitempty"`
	// transitions are the ways out of the state. The first one in this list whose checks pass is taken. One
	// whose checks end in an error is passed over, and holds up no other. At most 16.
	// +optional
	// +listType=map
	// +listMapKey=name
	Transitions []ProfileTransition `json:"transitions,omitempty"`
}

// ProfileHold is how a node is taken out of service.
type ProfileHold struct {
	// stage is how far: Cordon or Drain. See NodeMaintenance's spec.stage. Defaults to Drain.
	// +optional
	Stage MaintenanceStage `json:"stage,omitempty"`
	// drain is which pods are drained, and how. See NodeMaintenance's spec.drain.
	// +optional
	Drain DrainSpec `json:"drain,omitempty,omitzero"`
}

// ProfileTransition is a way from one state to another.
type ProfileTransition struct {
	// name tells it from the others of the state. From 1 to 63 letters, digits and "_"; the first one is no
	// digit. Required.
	Name string `json:"name"`
	// check is a chain of names of checks with && (and), || (or), ! (not) and parentheses, such as
	// "approved && !(frozen || busy)". && binds tighter than ||. Spaces and line breaks may be anywhere
	// between names and signs. A check that ends in an error does not matter if the others decide alone:
	// "passes || fails" passes. At most 4,096 bytes. Required.
	Check string `json:"check"`
	// triggers are done before the next state is entered, one after the other, in this order. At most 16.
	// +optional
	// +listType=atomic
	Triggers []string `json:"triggers,omitempty"`
	// next is the state that it leads to: Operational, MaintenanceRequired or InMaintenance. Another one
	// than the state that it leads from. Required.
	Next ProfileState `json:"next"`
}

// MaintenanceProfileStatus is what a profile means now.
type MaintenanceProfileStatus struct {
	// observedGeneration is the metadata.generation that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// counts are how many nodes the profile is on, by state.
	// +optional
	Counts ProfileCounts `json:"counts,omitempty,omitzero"`
	// preview is what the profile would do now. Only the answer to a write with dryRun=All has it. It is
	// never stored.
	// +optional
	Preview *ProfilePreview `json:"preview,omitempty"`
	// conditions are Attached (only there while it is False: the server has no memory for a NodeProfile on each
	// node that the profile selects), Valid (False if the server cannot apply the profile, which a newer version may have
	// stored) and Acting (False with the reason DryRun, Paused, OtherController, StoppedAfterCrash, AuthorLost or NotPermitted while
	// the profile changes nothing).
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// author is who wrote the spec last; to have a profile do less does not count. The server asks again whether they may
	// do what the profile says. If not, it is as if the mode were Paused. Not set if a version before stored the profile: then nobody is asked about.
	// +optional
	Author *Author `json:"author,omitempty"`
	// crash names a text of the spec that is evaluated no more, since a process of the server died while it evaluated it. As
	// long as it is there, it is as if the mode were Paused. It goes once that text is another one.
	// +optional
	Crash *ProfileCrash `json:"crash,omitempty"`
}

// ProfileCrash is a text of a profile that is evaluated no more.
type ProfileCrash struct {
	// field is where the text is, such as spec.checks[0].node.expression.
	Field string `json:"field"`
	// digest is the SHA-256 of the text, in hexadecimal digits.
	Digest string `json:"digest"`
	// began is when the evaluation began that the process did not survive.
	Began metav1.MicroTime `json:"began"`
}

// ProfileCounts are how many nodes a profile is on.
type ProfileCounts struct {
	// nodes is how many nodes the profile is on, with those that it is leaving.
	// +optional
	Nodes int32 `json:"nodes"`
	// operational is on how many of them it is Operational.
	// +optional
	Operational int32 `json:"operational"`
	// maintenanceRequired is on how many of them it is MaintenanceRequired.
	// +optional
	MaintenanceRequired int32 `json:"maintenanceRequired"`
	// inMaintenance is on how many of them it is InMaintenance.
	// +optional
	InMaintenance int32 `json:"inMaintenance"`
}

// ProfilePreview is what a profile would do now.
type ProfilePreview struct {
	// nodes is how many nodes the profile selects.
	Nodes int32 `json:"nodes"`
	// items are what it would do on each of them, sorted by name. At most 100.
	// +optional
	// +listType=atomic
	Items []ProfilePreviewNode `json:"items,omitempty"`
}

// ProfilePreviewNode is what a profile would do on a node now.
type ProfilePreviewNode struct {
	// node is the name of the node.
	Node string `json:"node"`
	// state is the state that the profile is in there.
	State ProfileState `json:"state"`
	// transition is the one that would be taken now. Empty if there is none.
	// +optional
	Transition string `json:"transition,omitempty"`
	// next is the state that it leads to.
	// +optional
	Next ProfileState `json:"next,omitempty"`
	// message says in a sentence what would be done, or what is waited for.
	// +optional
	Message string `json:"message,omitempty"`
}
