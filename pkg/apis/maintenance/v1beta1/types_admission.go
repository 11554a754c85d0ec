// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// MaintenanceAdmission is what the policies of a node say of one of its NodeMaintenances.
type MaintenanceAdmission struct {
	// stage is how far the maintenance may go now. It is Idle before it is admitted at all, and Cordon if
	// spec.stage was raised to Drain since, and that waits.
	// +optional
	Stage MaintenanceStage `json:"stage,omitempty"`
	// admittedTime is when the maintenance was admitted. spec.expirationSeconds counts from then.
	// +optional
	AdmittedTime *metav1.Time `json:"admittedTime,omitempty"`
	// approved says that people have approved what was admitted. spec.drain cannot be changed any more.
	// +optional
	Approved bool `json:"approved,omitempty"`
	// waitingFor is everything that the maintenance waits for, policy by policy, the firmest reasons
	// first. At most 20.
	// +optional
	// +listType=atomic
	WaitingFor []AdmissionWait `json:"waitingFor,omitempty"`
	// earliestStartTime is before when the maintenance does not start. It may start later. Not set while
	// it waits for a person or a gate, and once it is admitted. It is brought up to date once a minute at
	// most.
	// +optional
	EarliestStartTime *metav1.Time `json:"earliestStartTime,omitempty"`
	// approvals are what people have decided: POST nodemaintenances/<name>/approval. One for each user
	// and policy. At most 64.
	// +optional
	// +listType=atomic
	Approvals []MaintenanceDecision `json:"approvals,omitempty"`
}

// AdmissionWait is what a maintenance waits for.
type AdmissionWait struct {
	// policy is the MaintenancePolicy that has it wait. Empty if the NodeMaintenance itself does, with
	// spec.notBefore.
	// +optional
	Policy string `json:"policy,omitempty"`
	// reason is why, in CamelCase.
	Reason AdmissionReason `json:"reason"`
	// message is why, in a sentence, with the numbers.
	Message string `json:"message"`
}

// AdmissionReason is why a maintenance waits, or does not.
// +enum
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
// +enum
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
	Policy string `json:"policy"`
	// decision is Approved or Denied.
	Decision ApprovalDecision `json:"decision"`
	// by is the user who has decided.
	By string `json:"by"`
	// time is when.
	Time metav1.Time `json:"time"`
	// generation is the metadata.generation that was decided on. A change of the spec makes an approval
	// void. A denial stays until it is withdrawn.
	Generation int64 `json:"generation"`
	// nodeUID is the UID of the node at that time. A new node of the same name makes the decision void.
	// +optional
	NodeUID types.UID `json:"nodeUID,omitempty"`
	// reason is why, for other people to read.
	// +optional
	Reason string `json:"reason,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenanceApproval is what a person decides of a NodeMaintenance: the body of a POST to
// nodemaintenances/<name>/approval. A DELETE there withdraws one's own decisions, while the maintenance
// has not started. It requires the verb approve on the MaintenancePolicy.
type MaintenanceApproval struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata. The name is that of the NodeMaintenance.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// policy is the MaintenancePolicy that asks for the approval. May be left out if only one does.
	// +optional
	Policy string `json:"policy,omitempty"`
	// decision is Approved or Denied. Required.
	Decision ApprovalDecision `json:"decision"`
	// uid is the UID of the NodeMaintenance that is decided on. If it is another one, the request is
	// refused, so nobody approves what was created since under the same name. Required to approve.
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// generation is the metadata.generation that is decided on. If it is another one, the request is
	// refused, so nobody approves what they have not seen. Required to approve.
	// +optional
	Generation int64 `json:"generation,omitempty"`
	// reason is why, for other people to read. At most 1,024 characters on one line.
	// +optional
	Reason string `json:"reason,omitempty"`
}

// AdmissionForecast says whether maintenance would start now.
type AdmissionForecast struct {
	// startsNow is true if the maintenance would start at once, or has started.
	StartsNow bool `json:"startsNow"`
	// waitingFor is everything that it would wait for, policy by policy. At most 20.
	// +optional
	// +listType=atomic
	WaitingFor []AdmissionWait `json:"waitingFor,omitempty"`
	// earliestStartTime is before when it would not start. It may start later. Not set while it would wait
	// for a person or a gate.
	// +optional
	EarliestStartTime *metav1.Time `json:"earliestStartTime,omitempty"`
	// positions are its places in the queues of the policies, sorted by policy.
	// +optional
	// +listType=atomic
	Positions []QueuePosition `json:"positions,omitempty"`
}

// QueuePosition is a place in the queue of a policy.
type QueuePosition struct {
	// policy is the MaintenancePolicy.
	Policy string `json:"policy"`
	// position is the place, from 1.
	Position int32 `json:"position"`
	// of is how many nodes wait for the policy.
	Of int32 `json:"of"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenancePolicyQueue is the queue of a policy: GET maintenancepolicies/<name>/queue. It is computed
// when it is asked for.
type MaintenancePolicyQueue struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata. The name is the policy's.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// items are the NodeMaintenances that wait for the policy, in the order in which they are to start.
	// +listType=atomic
	Items []QueuedMaintenance `json:"items"`
}

// QueuedMaintenance is a NodeMaintenance that waits for a policy.
type QueuedMaintenance struct {
	// position is its place in the queue, from 1. NodeMaintenances of the same node have the same place.
	Position int32 `json:"position"`
	// name is the name of the NodeMaintenance.
	Name string `json:"name"`
	// node is the node that it waits to take out of service.
	Node string `json:"node"`
	// requestor is the user who created it.
	Requestor string `json:"requestor"`
	// priority is its spec.priority.
	// +optional
	Priority int32 `json:"priority,omitempty"`
	// since is when it was created.
	Since metav1.Time `json:"since"`
	// waitingFor is everything that it waits for, policy by policy, the firmest reasons first.
	// +optional
	// +listType=atomic
	WaitingFor []AdmissionWait `json:"waitingFor,omitempty"`
	// earliestStartTime is before when it does not start. It may start later.
	// +optional
	EarliestStartTime *metav1.Time `json:"earliestStartTime,omitempty"`
}
