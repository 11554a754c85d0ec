// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ProfileDecision is what a person decides of a profile on a node.
// +enum
type ProfileDecision string

const (
	// ProfileApprove lets checks of the kind approval pass.
	ProfileApprove ProfileDecision = "Approve"
	// ProfileVeto stops transitions, whoever else approves or pushes.
	ProfileVeto ProfileDecision = "Veto"
	// ProfilePush takes a transition whatever its checks say.
	ProfilePush ProfileDecision = "Push"
	// ProfileAbort gives up the transition that is being done.
	ProfileAbort ProfileDecision = "Abort"
)

// RecordedDecision is what a person has decided.
type RecordedDecision struct {
	// decision is Approve, Veto, Push or Abort.
	Decision ProfileDecision `json:"decision"`
	// transition is the name of the transition that it is about. Empty: all that lead out of the state.
	// +optional
	Transition string `json:"transition,omitempty"`
	// sequence is the status.sequence that it was made for. It means nothing for another one.
	Sequence int64 `json:"sequence"`
	// by is the user who has decided.
	By string `json:"by"`
	// time is when.
	Time metav1.Time `json:"time"`
	// expirationTime is until when it counts. Not set: until the state is left.
	// +optional
	ExpirationTime *metav1.Time `json:"expirationTime,omitempty"`
	// reason is why, for other people to read.
	// +optional
	Reason string `json:"reason,omitempty"`
	// usedBy is the id of the transition that a Push has started, or an Abort has ended. Each does so once.
	// +optional
	UsedBy string `json:"usedBy,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeProfileDecision is what a person decides of a profile on a node: the body of a POST to
// nodeprofiles/<name>/decision. It requires a verb on nodes/profiles, named by the node: approve to Approve, veto
// to Veto, force to Push and to Abort. A DELETE there withdraws one's own, unless a transition has begun or ended by
// it, and requires the verb that made them. A later decision of the same user on the same transition replaces the one
// before.
type NodeProfileDecision struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata. The name is that of the NodeProfile.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// decision is Approve (lets checks of the kind approval pass), Veto (nothing leads out of the state, whoever
	// approves or pushes, until it expires or is withdrawn), Push (takes a transition at once, whatever its
	// checks say; but no veto is overruled, and only one profile of a node is InMaintenance) or Abort (gives up
	// the transition that is being done; steps that have begun are not undone). Required.
	Decision ProfileDecision `json:"decision"`
	// transition is the name of the transition that is decided on. Required to Push. If not set, it is all
	// that lead out of the state.
	// +optional
	Transition string `json:"transition,omitempty"`
	// sequence is the status.sequence that is decided on. If it is another one, the request is refused, so
	// nobody decides on what they have not seen. Required.
	Sequence int64 `json:"sequence"`
	// uid is the UID of the NodeProfile that is decided on. If it is another one, the request is refused. If
	// not set, it is not compared.
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// reason is why, for other people to read. At most 1,024 characters on one line. Required to Veto, Push
	// and Abort.
	// +optional
	Reason string `json:"reason,omitempty"`
	// expirationSeconds is how long an Approve or a Veto counts. From 60 to 31536000 (365 days). If not set, it
	// counts until the state is left.
	// +optional
	ExpirationSeconds *int64 `json:"expirationSeconds,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeProfileEvaluation is what the checks of a profile on a node say now: GET nodeprofiles/<name>/evaluation. It
// is computed when it is asked for, and never stored. Other servers are not asked for it: their last answers count.
type NodeProfileEvaluation struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata. The name is that of the NodeProfile.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// time is when it was computed.
	Time metav1.MicroTime `json:"time"`
	// state is the state that the profile is in.
	State ProfileState `json:"state"`
	// sequence is the status.sequence that it is about.
	// +optional
	Sequence int64 `json:"sequence,omitempty"`
	// checks are the results of all checks that transitions out of the state name.
	// +optional
	// +listType=map
	// +listMapKey=name
	Checks []CheckStatus `json:"checks,omitempty"`
	// transitions are the transitions out of the state.
	// +optional
	// +listType=map
	// +listMapKey=name
	Transitions []TransitionStatus `json:"transitions,omitempty"`
	// transition is the name of the transition that would be taken now. Empty if there is none.
	// +optional
	Transition string `json:"transition,omitempty"`
	// waitingFor says in a sentence what the node waits for. Empty if it waits for nothing.
	// +optional
	WaitingFor string `json:"waitingFor,omitempty"`
	// nextTime is when the answer may change by time alone.
	// +optional
	NextTime *metav1.MicroTime `json:"nextTime,omitempty"`
}
