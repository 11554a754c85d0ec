// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

// The types of the conditions in NodeMaintenance's status.
const (
	// ConditionCordoned is True while the node is cordoned for this hold.
	ConditionCordoned = "Cordoned"
	// ConditionDrained is True once no pod that this hold selects is left on
	// the node. kubectl wait --for=condition=Drained waits for it. Its reason is
	// NodeEmpty if no other pods are left that a drain could evict.
	ConditionDrained = "Drained"
	// ConditionBlocked is True while something keeps a pod from being evicted;
	// status.blockers says what.
	ConditionBlocked = "Blocked"
	// ConditionVolumesDetached is True when no volume of the pods that had to leave is
	// attached to the node any more. It does not say that the pods are gone: that is
	// Drained, which may become True earlier.
	ConditionVolumesDetached = "VolumesDetached"
	// ConditionExpiring is True once 80 % of spec.expirationSeconds is over. The server
	// then deletes the hold soon, unless expirationSeconds is raised.
	ConditionExpiring = "Expiring"
	// ConditionAdmitted is False while the hold waits for a MaintenancePolicy or for spec.notBefore. Its
	// reason is an AdmissionReason.
	ConditionAdmitted = "Admitted"
	// ConditionReleased is False while something keeps the node from being given back although no hold needs it
	// any more, such as a release gate of a MaintenancePolicy. Else there is no such condition.
	ConditionReleased = "Released"
)

// The types of the conditions in MaintenancePolicy's status.
const (
	// ConditionOpen is True while the schedule of the policy lets maintenance start.
	ConditionOpen = "Open"
	// ConditionStopped is True while failures have stopped the policy.
	ConditionStopped = "Stopped"
)

// Reasons of the conditions Cordoned and Drained.
const (
	// ReasonCordoned means that the node is cordoned.
	ReasonCordoned = "Cordoned"
	// ReasonCordonFailed means that the node could not be cordoned; the message says why.
	// It is retried.
	ReasonCordonFailed = "CordonFailed"
	// ReasonStageIdle means that spec.stage is Idle, so that nothing is done.
	ReasonStageIdle = "StageIdle"
	// ReasonStageCordon means that spec.stage is Cordon, so that no pod is evicted.
	ReasonStageCordon = "StageCordon"
	// ReasonReleased means that the hold was deleted and needs the node no more. Only
	// the finalizers of others keep the object.
	ReasonReleased = "Released"
	// ReasonNodeNotFound means that no node of that name exists. The maintenance starts
	// when it appears.
	ReasonNodeNotFound = "NodeNotFound"
	// ReasonNodeDeleted means that the node was deleted during its maintenance.
	ReasonNodeDeleted = "NodeDeleted"
	// ReasonLeaseHeld means that somebody else has the lease of the node, so that it is not touched. The
	// maintenance starts when the lease is free.
	ReasonLeaseHeld = "LeaseHeld"
	// ReasonLeaseLost means that somebody else took the lease of the node during its maintenance. The
	// maintenance goes on when the lease is free.
	ReasonLeaseLost = "LeaseLost"
	// ReasonControlPlaneQuorum means that the control plane would lose its quorum without the node. The
	// maintenance starts when enough of its other members are in service.
	ReasonControlPlaneQuorum = "ControlPlaneQuorum"
	// ReasonNotAdmitted means that the hold waits for a MaintenancePolicy, or for spec.notBefore: see the
	// condition Admitted.
	ReasonNotAdmitted = "NotAdmitted"
	// ReasonDraining means that pods are still to be evicted, or are terminating.
	ReasonDraining = "Draining"
	// ReasonDeadlineExceeded means that pods are still on the node after status.deadline. Evictions
	// continue.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	// ReasonNodeEmpty means that no pod that a drain can remove is left on the node.
	ReasonNodeEmpty = "NodeEmpty"
	// ReasonSelectedPodsGone means that the pods that spec.drain selects are gone; others
	// are still there.
	ReasonSelectedPodsGone = "SelectedPodsGone"
	// ReasonNoPodSelected means that spec.drain selects none of the node's pods, so that
	// the drain had nothing to evict. All of them are still there.
	ReasonNoPodSelected = "NoPodSelected"
	// ReasonNotBlocked means that nothing keeps a pod from being evicted.
	ReasonNotBlocked = "NotBlocked"
	// ReasonVolumesAttached means that volumes of the pods that had to leave are still
	// attached to the node.
	ReasonVolumesAttached = "VolumesAttached"
	// ReasonNoVolumesAttached means that no volume of such a pod is attached.
	ReasonNoVolumesAttached = "NoVolumesAttached"
	// ReasonExpiresSoon means that the server deletes the hold at status.expirationTime.
	ReasonExpiresSoon = "ExpiresSoon"
	// ReasonReleaseGate means that a release gate of a MaintenancePolicy does not pass; the message says which, and
	// what it waits for.
	ReasonReleaseGate = "ReleaseGate"
	// ReasonReleaseTimedOut means that it has not passed within releaseTimeoutSeconds. The node is given back when it
	// passes, or when spec.bypassPolicies is set.
	ReasonReleaseTimedOut = "ReleaseTimedOut"
)

// The types of the conditions in the status of MaintenanceProfiles and NodeProfiles.
const (
	// ConditionValid is False if the server cannot apply the profile, which a newer version may have stored.
	ConditionValid = "Valid"
	// ConditionActing is False while the profile changes nothing. Its reason is then ReasonDryRun, ReasonPaused,
	// ReasonOtherController, ReasonStoppedAfterCrash, ReasonAuthorLost, ReasonNotPermitted or ReasonNotAdopted.
	ConditionActing = "Acting"
	// ConditionAttached is False while the profile does not select the node any more. A MaintenanceProfile has
	// it, and it is False, while the profile is not on all nodes that it selects.
	ConditionAttached = "Attached"
	// ConditionNodeFound is False while the node does not exist.
	ConditionNodeFound = "NodeFound"
	// ConditionEvaluated is False while a check that matters ends in an error, or the profile cannot be applied.
	ConditionEvaluated = "Evaluated"
)

// Reasons of the condition Acting.
const (
	// ReasonActing means that the profile acts.
	ReasonActing = "Acting"
	// ReasonDryRun means that spec.mode is DryRun.
	ReasonDryRun = "DryRun"
	// ReasonPaused means that spec.mode is Paused.
	ReasonPaused = "Paused"
	// ReasonAuthorLost means that the user who wrote the spec may not do any more what it says. The message says what they
	// may not do. It is as if the mode were Paused.
	ReasonAuthorLost = "AuthorLost"
	// ReasonStoppedAfterCrash means that a process of the server died while it evaluated something of the profile. The message says
	// what. It is as if the mode were Paused, until that is another text.
	ReasonStoppedAfterCrash = "StoppedAfterCrash"
	// ReasonNotPermitted means that the cluster does not permit the server itself what the profile says. The message says
	// what, and which value of the chart permits it. It is as if the mode were Paused.
	ReasonNotPermitted = "NotPermitted"
	// ReasonOtherController means that another controller still takes care of profiles, so this one only says what
	// it would do.
	ReasonOtherController = "OtherController"
	// ReasonNotAdopted means that another controller has left its state on the node, and that it cannot be read.
	// The message says why. Until somebody repairs or removes it, the profile only says what it would do there.
	ReasonNotAdopted = "NotAdopted"
)

// Reasons of the other conditions of NodeProfiles and MaintenanceProfiles.
const (
	// ReasonEvaluated means that each check that matters has a result.
	ReasonEvaluated = "Evaluated"
	// ReasonCheckFailed means that a check that matters ends in an error; the message says which, and why.
	ReasonCheckFailed = "CheckFailed"
	// ReasonTooManyNodeProfiles means that a MaintenanceProfile is not on all nodes that it selects: the
	// server has no memory for more NodeProfiles.
	ReasonTooManyNodeProfiles = "TooManyNodeProfiles"
	// ReasonSelected means that the profile selects the node.
	ReasonSelected = "Selected"
	// ReasonNotSelected means that the profile selects the node no more.
	ReasonNotSelected = "NotSelected"
	// ReasonProfileDeleted means that the profile is being deleted.
	ReasonProfileDeleted = "ProfileDeleted"
	// ReasonNodeFound means that the node exists.
	ReasonNodeFound = "NodeFound"
	// ReasonValid means that the server can apply the profile.
	ReasonValid = "Valid"
	// ReasonNotValid means that the server cannot apply the profile; the message says why.
	ReasonNotValid = "NotValid"
)
