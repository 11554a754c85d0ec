// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// MaintenanceAdmission is what the policies of a node say of one of its NodeMaintenances.
type MaintenanceAdmission struct {
	// stage is how far the maintenance may go now. It is Idle before it is admitted at all, and Cordon if
	// spec.stage was raised to Drain since, and that waits.
	Stage MaintenanceStage
	// admittedTime is when the maintenance was admitted. spec.expirationSeconds counts from then.
	AdmittedTime *metav1.Time
	// approved says that people have approved what was admitted. spec.drain cannot be changed any more.
	Approved bool
	// waitingFor is everything that the maintenance waits for, policy by policy, the firmest reasons
	// first. At most 20.
	WaitingFor []AdmissionWait
	// earliestStartTime is before when the maintenance does not start. It may start later. Not set while
	// it waits for a person or a gate, and once it is admitted. It is brought up to date once a minute at
	// most.
	EarliestStartTime *metav1.Time
	// approvals are what people have decided: POST nodemaintenances/<name>/approval. One for each user
	// and policy. At most 64.
	Approvals []MaintenanceDecision
}

// AdmissionWait is what a maintenance waits for.
type AdmissionWait struct {
	// policy is the MaintenancePolicy that has it wait. Empty if the NodeMaintenance itself does, with
	// spec.notBefore.
	Policy string
	// reason is why, in CamelCase.
	Reason AdmissionReason
	// message is why, in a sentence, with the numbers.
	Message string
}

// AdmissionReason is why a maintenance waits, or does not.
type AdmissionReason string

const (
	// AdmissionAdmitted means that it does not wait.
	AdmissionAdmitted AdmissionReason = "Admitted"
	// AdmissionBypassed means that it does not wait, since spec.bypassPolicies is true.
	AdmissionBypassed AdmissionReason = "Bypassed"
	// AdmissionQueued means that as many nodes are in maintenance as may be, or that another node is first.
	AdmissionQueued AdmissionReason = "Queued"
	// AdmissionPaceLimited means that as many nodes have started as may in a time.
	AdmissionPaceLimited AdmissionReason = "PaceLimited"
	// AdmissionTooManyUnavailable means that as many nodes are out of service as may be.
	AdmissionTooManyUnavailable AdmissionReason = "TooManyUnavailable"
	// AdmissionWindowClosed means that no window is open.
	AdmissionWindowClosed AdmissionReason = "WindowClosed"
	// AdmissionFrozen means that there is a freeze.
	AdmissionFrozen AdmissionReason = "Frozen"
	// AdmissionPaused means that the policy is paused.
	AdmissionPaused AdmissionReason = "Paused"
	// AdmissionStopped means that failures have stopped the policy.
	AdmissionStopped AdmissionReason = "Stopped"
	// AdmissionApprovalNeeded means that people have yet to approve.
	AdmissionApprovalNeeded AdmissionReason = "ApprovalNeeded"
	// AdmissionDenied means that somebody has denied it.
	AdmissionDenied AdmissionReason = "Denied"
	// AdmissionGateFailed means that a gate does not pass.
	AdmissionGateFailed AdmissionReason = "GateFailed"
	// AdmissionPlanBlocked means that something keeps a pod on the node for good.
	AdmissionPlanBlocked AdmissionReason = "PlanBlocked"
	// AdmissionNotBefore means that spec.notBefore is not reached.
	AdmissionNotBefore AdmissionReason = "NotBefore"
	// AdmissionInvalidPolicy means that the server cannot apply the policy, which a newer version may have
	// stored.
	AdmissionInvalidPolicy AdmissionReason = "InvalidPolicy"
	// AdmissionNodeNotFound means that no node of that name exists.
	AdmissionNodeNotFound AdmissionReason = "NodeNotFound"
)

// ApprovalDecision is what a person decides.
type ApprovalDecision string

const (
	// DecisionApproved means that the maintenance may start.
	DecisionApproved ApprovalDecision = "Approved"
	// DecisionDenied means that it may not start, whoever else approves.
	DecisionDenied ApprovalDecision = "Denied"
)

// MaintenanceDecision is what a person has decided of a NodeMaintenance.
type MaintenanceDecision struct {
	// policy is the MaintenancePolicy that asks for the approval.
	Policy string
	// decision is Approved or Denied.
	Decision ApprovalDecision
	// by is the user who has decided.
	By string
	// time is when.
	Time metav1.Time
	// generation is the metadata.generation that was decided on. A change of the spec makes an approval
	// void. A denial stays until it is withdrawn.
	Generation int64
	// nodeUID is the UID of the node at that time. A new node of the same name makes the decision void.
	NodeUID types.UID
	// reason is why, for other people to read.
	Reason string
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenanceApproval is what a person decides of a NodeMaintenance: the body of a POST to
// nodemaintenances/<name>/approval. A DELETE there withdraws one's own decisions, while the maintenance
// has not started. It requires the verb approve on the MaintenancePolicy.
type MaintenanceApproval struct {
	metav1.TypeMeta
	// Standard object's metadata. The name is that of the NodeMaintenance.
	metav1.ObjectMeta

	// policy is the MaintenancePolicy that asks for the approval. May be left out if only one does.
	Policy string
	// decision is Approved or Denied. Required.
	Decision ApprovalDecision
	// uid is the UID of the NodeMaintenance that is decided on. If it is another one, the request is
	// refused, so nobody approves what was created since under the same name. Required to approve.
	UID types.UID
	// generation is the metadata.generation that is decided on. If it is another one, the request is
	// refused, so nobody approves what they have not seen. Required to approve.
	Generation int64
	// reason is why, for other people to read. At most 1,024 characters on one line.
	Reason string
}

// AdmissionForecast says whether maintenance would start now.
type AdmissionForecast struct {
	// startsNow is true if the maintenance would start at once, or has started.
	StartsNow bool
	// waitingFor is everything that it would wait for, policy by policy. At most 20.
	WaitingFor []AdmissionWait
	// earliestStartTime is before when it would not start. It may start later. Not set while it would wait
	// for a person or a gate.
	EarliestStartTime *metav1.Time
	// positions are its places in the queues of the policies, sorted by policy.
	Positions []QueuePosition
}

// QueuePosition is a place in the queue of a policy.
type QueuePosition struct {
	// policy is the MaintenancePolicy.
	Policy string
	// position is the place, from 1.
	Position int32
	// of is how many nodes wait for the policy.
	Of int32
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenancePolicyQueue is the queue of a policy: GET maintenancepolicies/<name>/queue. It is computed
// when it is asked for.
type MaintenancePolicyQueue struct {
	metav1.TypeMeta
	// Standard object's metadata. The name is the policy's.
	metav1.ObjectMeta

	// items are the NodeMaintenances that wait for the policy, in the order in which they are to start.
	Items []QueuedMaintenance
}

// QueuedMaintenance is a NodeMaintenance that waits for a policy.
type QueuedMaintenance struct {
	// position is its place in the queue, from 1. NodeMaintenances of the same node have the same place.
	Position int32
	// name is the name of the NodeMaintenance.
	Name string
	// node is the node that it waits to take out of service.
	Node string
	// requestor is the user who created it.
	Requestor string
	// priority is its spec.priority.
	Priority int32
	// since is when it was created.
	Since metav1.Time
	// waitingFor is everything that it waits for, policy by policy, the firmest reasons first.
	WaitingFor []AdmissionWait
	// earliestStartTime is before when it does not start. It may start later.
	EarliestStartTime *metav1.Time
}
