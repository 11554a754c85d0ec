// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

// Reasons of Kubernetes events, and of the condition Blocked where they have the same name.
const (
	// ReasonUnknownCode means that nothing is done since nobody said what for a code that the server does not know.
	ReasonUnknownCode = "UnknownCode"
	// ReasonNodeNotFound means that no node is the one that the event means.
	ReasonNodeNotFound = "NodeNotFound"
	// ReasonNodeMismatch means that the fields of the event mean different nodes.
	ReasonNodeMismatch = "NodeMismatch"
	// ReasonAmbiguousNode means that several nodes have the instance id of the event.
	ReasonAmbiguousNode = "AmbiguousNode"
	// ReasonNodeGone means that the node went before it was empty, so that its machine is not taken away.
	ReasonNodeGone = "NodeGone"
	// ReasonNoOwner means that nothing replaces the machine, so that a person has to.
	ReasonNoOwner = "NoOwner"
	// ReasonControlPlaneNotReplaced means that no controller replaces the machine of a control plane, so that nothing is
	// done.
	ReasonControlPlaneNotReplaced = "ControlPlaneNotReplaced"
	// ReasonHoldNarrowed means that the hold does not drain all pods, so that the machine is not taken away.
	ReasonHoldNarrowed = "HoldNarrowed"
	// ReasonPodsStay means that the drain leaves pods on the node, so that the machine is not taken away.
	ReasonPodsStay = "PodsStay"
	// ReasonHoldRefused means that the server refused the hold.
	ReasonHoldRefused = "HoldRefused"
	// ReasonReplacementFailed means that the replacement was given up.
	ReasonReplacementFailed = "ReplacementFailed"
	// ReasonReplacementMissing means that the machine is gone, and that none has come instead.
	ReasonReplacementMissing = "ReplacementMissing"
	// ReasonDrainScheduled means that it is known when the drain starts.
	ReasonDrainScheduled = "DrainScheduled"
	// ReasonLateStart means that the drain will most likely not end in time.
	ReasonLateStart = "LateStart"
	// ReasonLatestStartPassed means that the drain has not started in time, and waits.
	ReasonLatestStartPassed = "LatestStartPassed"
	// ReasonStartedInSpiteOfPolicies means that policies are not asked any more, since the drain has to start.
	ReasonStartedInSpiteOfPolicies = "StartedInSpiteOfPolicies"
	// ReasonDrainStarted means that the node is cordoned.
	ReasonDrainStarted = "DrainStarted"
	// ReasonDrained means that the node is empty.
	ReasonDrained = "Drained"
	// ReasonMachineReturned means that the machine has come back.
	ReasonMachineReturned = "MachineReturned"
	// ReasonSurgeAdded means that a machine is being added.
	ReasonSurgeAdded = "SurgeAdded"
	// ReasonNewNodeReady means that the node of the added machine is Ready.
	ReasonNewNodeReady = "NewNodeReady"
	// ReasonMachineDeleted means that the machine was taken away.
	ReasonMachineDeleted = "MachineDeleted"
	// ReasonMachineReplaced means that another machine has come instead.
	ReasonMachineReplaced = "MachineReplaced"
	// ReasonEventCompleted and ReasonEventCanceled are how the event ended.
	ReasonEventCompleted = "EventCompleted"
	ReasonEventCanceled  = "EventCanceled"
)

// Reasons of the condition Completed.
const (
	// ReasonCompleted, ReasonCanceled and ReasonIgnored mean that nothing is to be done any more.
	ReasonCompleted = "Completed"
	ReasonCanceled  = "Canceled"
	ReasonIgnored   = "Ignored"
	// ReasonInProgress means that something is to be done.
	ReasonInProgress = "InProgress"
)
