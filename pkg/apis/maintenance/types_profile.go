// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenanceProfile says what happens around the maintenance of the nodes that it selects: when it is
// required, when it may start, what is done before, during and after it, and who is told. On each node, a
// profile is in one of three states: Operational, MaintenanceRequired and InMaintenance. Transitions lead
// from one state to another when their checks pass. A NodeProfile shows where a node is. A node can have
// several profiles, of which one at a time is InMaintenance.
type MaintenanceProfile struct {
	metav1.TypeMeta
	// Standard object's metadata. The name is a DNS label.
	metav1.ObjectMeta

	// spec is which nodes the profile is for, and what it does.
	Spec MaintenanceProfileSpec
	// status is what the profile means now. Only the server writes it.
	Status MaintenanceProfileStatus

	// Unknown is what a newer version of the server has stored in this object. See NodeMaintenance.
	// +k8s:conversion-gen=false
	Unknown UnknownFields
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenanceProfileList is a list of MaintenanceProfiles.
type MaintenanceProfileList struct {
	metav1.TypeMeta
	// Standard list metadata.
	metav1.ListMeta

	// items are the MaintenanceProfiles.
	Items []MaintenanceProfile
}

// MaintenanceProfileSpec is which nodes a profile is for, and what it does. As JSON, it has at most 256 KiB.
type MaintenanceProfileSpec struct {
	// alias is the name of the profile in the labels of nodes, in templates and in metrics, where a former
	// controller has used another one. From 1 to 63 letters, digits, "-", "_" and ".", the first and the last one a
	// letter or digit, without "--"; no two profiles have the same. If not set, it is metadata.name.
	Alias string
	// mode is what the profile does. Active evaluates the checks and acts. DryRun evaluates them and says in
	// the NodeProfiles what it would do, but changes nothing and notifies nobody. Paused does neither; a
	// transition that was recorded already goes on to its end. Defaults to Active.
	Mode ProfileMode
	// priority is whose nodes go first if several profiles compete for the same place: those of the profile
	// with the higher one. From -100 to 100. Defaults to 0.
	Priority int32
	// nodes are the nodes that the profile is for: those that at least one of its fields selects. Required.
	Nodes ProfileNodes
	// onDetach is what happens on a node that the profile selects no more, and when the profile is deleted.
	// Finish goes on until the node is Operational again. Release deletes the hold at once, so that the node
	// is given back, stops a Job that runs there, and forgets the state. Defaults to Finish.
	OnDetach DetachAction
	// nodeGoneSeconds is how long a node that does not exist any more keeps its state, its hold and its
	// place. A new node of the same name starts as Operational at once. From 0 to 86400. Defaults to 600
	// (10 minutes).
	NodeGoneSeconds *int64
	// checks are what transitions ask. At most 64.
	Checks []ProfileCheck
	// triggers are what transitions and states do. At most 64.
	Triggers []ProfileTrigger
	// notifiers are how people are told. At most 16.
	Notifiers []ProfileNotifier
	// states are what is done in each state, and how it is left.
	States ProfileStates
}

// ProfileMode is what a profile does.
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
	Selector *metav1.LabelSelector
	// names selects nodes by their names. At most 1000.
	Names []string
	// byLabel selects the nodes whose label cloud.sap/maintenance-profile names the alias. The label has
	// the aliases of all profiles of a node, joined with "--", such as flatcar--esx. Another label can be
	// set with the flag --profile-label. Defaults to false.
	ByLabel bool
	// unlabelled selects the nodes that do not have that label, or an empty one. Defaults to false.
	Unlabelled bool
}

// ProfileStates are what a profile does in its states.
type ProfileStates struct {
	// operational is the state in which a node does its work. Each node begins in it.
	Operational ProfileStateSpec
	// maintenanceRequired is the state in which a node needs maintenance and waits for it.
	MaintenanceRequired ProfileStateSpec
	// inMaintenance is the state in which the maintenance takes place. On each node, only one profile at a
	// time is in it.
	InMaintenance ProfileStateSpec
}

// ProfileState is a state of a profile on a node.
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
	Hold *ProfileHold
	// enter are the triggers that are done when the state is entered, one after the other, in this order.
	// Transitions are considered once they are done. They are not done when a profile comes to a node. At
	// most 16.
	Enter []string
	// notify are the notifiers that are used while the profile is in this state. When they send is their
	// schedule's matter. At most 16.
	Notify []string
	// transitions are the ways out of the state. The first one in this list whose checks pass is taken. One
	// whose checks end in an error is passed over, and holds up no other. At most 16.
	Transitions []ProfileTransition
}

// ProfileHold is how a node is taken out of service.
type ProfileHold struct {
	// stage is how far: Cordon or Drain. See NodeMaintenance's spec.stage. Defaults to Drain.
	Stage MaintenanceStage
	// drain is which pods are drained, and how. See NodeMaintenance's spec.drain.
	Drain DrainSpec
}

// ProfileTransition is a way from one state to another.
type ProfileTransition struct {
	// name tells it from the others of the state. From 1 to 63 letters, digits and "_"; the first one is no
	// digit. Required.
	Name string
	// check is a chain of names of checks with && (and), || (or), ! (not) and parentheses, such as
	// "approved && !(frozen || busy)". && binds tighter than ||. Spaces and line breaks may be anywhere
	// between names and signs. A check that ends in an error does not matter if the others decide alone:
	// "passes || fails" passes. At most 4,096 bytes. Required.
	Check string
	// triggers are done before the next state is entered, one after the other, in this order. At most 16.
	Triggers []string
	// next is the state that it leads to: Operational, MaintenanceRequired or InMaintenance. Another one
	// than the state that it leads from. Required.
	Next ProfileState
}

// MaintenanceProfileStatus is what a profile means now.
type MaintenanceProfileStatus struct {
	// observedGeneration is the metadata.generation that this status describes.
	ObservedGeneration int64
	// counts are how many nodes the profile is on, by state.
	Counts ProfileCounts
	// preview is what the profile would do now. Only the answer to a write with dryRun=All has it. It is
	// never stored.
	Preview *ProfilePreview
	// conditions are Attached (only there while it is False: the server has no memory for a NodeProfile on each
	// node that the profile selects), Valid (False if the server cannot apply the profile, which a newer version may have
	// stored) and Acting (False with the reason DryRun, Paused, OtherController, StoppedAfterCrash, AuthorLost or NotPermitted while
	// the profile changes nothing).
	Conditions []metav1.Condition
	// author is who wrote the spec last; to have a profile do less does not count. The server asks again whether they may
	// do what the profile says. If not, it is as if the mode were Paused. Not set if a version before stored the profile: then nobody is asked about.
	Author *Author
	// crash names a text of the spec that is evaluated no more, since a process of the server died while it evaluated it. As
	// long as it is there, it is as if the mode were Paused. It goes once that text is another one.
	Crash *ProfileCrash
}

// ProfileCrash is a text of a profile that is evaluated no more.
type ProfileCrash struct {
	// field is where the text is, such as spec.checks[0].node.expression.
	Field string
	// digest is the SHA-256 of the text, in hexadecimal digits.
	Digest string
	// began is when the evaluation began that the process did not survive.
	Began metav1.MicroTime
}

// ProfileCounts are how many nodes a profile is on.
type ProfileCounts struct {
	// nodes is how many nodes the profile is on, with those that it is leaving.
	Nodes int32
	// operational is on how many of them it is Operational.
	Operational int32
	// maintenanceRequired is on how many of them it is MaintenanceRequired.
	MaintenanceRequired int32
	// inMaintenance is on how many of them it is InMaintenance.
	InMaintenance int32
}

// ProfilePreview is what a profile would do now.
type ProfilePreview struct {
	// nodes is how many nodes the profile selects.
	Nodes int32
	// items are what it would do on each of them, sorted by name. At most 100.
	Items []ProfilePreviewNode
}

// ProfilePreviewNode is what a profile would do on a node now.
type ProfilePreviewNode struct {
	// node is the name of the node.
	Node string
	// state is the state that the profile is in there.
	State ProfileState
	// transition is the one that would be taken now. Empty if there is none.
	Transition string
	// next is the state that it leads to.
	Next ProfileState
	// message says in a sentence what would be done, or what is waited for.
	Message string
}
