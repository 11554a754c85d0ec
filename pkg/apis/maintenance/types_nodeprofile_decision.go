// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ProfileDecision is what a person decides of a profile on a node.
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
	Decision ProfileDecision
	// transition is the name of the transition that it is about. Empty: all that lead out of the state.
	Transition string
	// sequence is the status.sequence that it was made for. It means nothing for another one.
	Sequence int64
	// by is the user who has decided.
	By string
	// time is when.
	Time metav1.Time
	// expirationTime is until when it counts. Not set: until the state is left.
	ExpirationTime *metav1.Time
	// reason is why, for other people to read.
	Reason string
	// usedBy is the id of the transition that a Push has started, or an Abort has ended. Each does so once.
	UsedBy string
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeProfileDecision is what a person decides of a profile on a node: the body of a POST to
// nodeprofiles/<name>/decision. It requires a verb on nodes/profiles, named by the node: approve to Approve, veto
// to Veto, force to Push and to Abort. A DELETE there withdraws one's own, unless a transition has begun or ended by
// it, and requires the verb that made them. A later decision of the same user on the same transition replaces the one
// before.
type NodeProfileDecision struct {
	metav1.TypeMeta
	// Standard object's metadata. The name is that of the NodeProfile.
	metav1.ObjectMeta

	// decision is Approve (lets checks of the kind approval pass), Veto (nothing leads out of the state, whoever
	// approves or pushes, until it expires or is withdrawn), Push (takes a transition at once, whatever its
	// checks say; but no veto is overruled, and only one profile of a node is InMaintenance) or Abort (gives up
	// the transition that is being done; steps that have begun are not undone). Required.
	Decision ProfileDecision
	// transition is the name of the transition that is decided on. Required to Push. If not set, it is all
	// that lead out of the state.
	Transition string
	// sequence is the status.sequence that is decided on. If it is another one, the request is refused, so
	// nobody decides on what they have not seen. Required.
	Sequence int64
	// uid is the UID of the NodeProfile that is decided on. If it is another one, the request is refused. If
	// not set, it is not compared.
	UID types.UID
	// reason is why, for other people to read. At most 1,024 characters on one line. Required to Veto, Push
	// and Abort.
	Reason string
	// expirationSeconds is how long an Approve or a Veto counts. From 60 to 31536000 (365 days). If not set, it
	// counts until the state is left.
	ExpirationSeconds *int64
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeProfileEvaluation is what the checks of a profile on a node say now: GET nodeprofiles/<name>/evaluation. It
// is computed when it is asked for, and never stored. Other servers are not asked for it: their last answers count.
type NodeProfileEvaluation struct {
	metav1.TypeMeta
	// Standard object's metadata. The name is that of the NodeProfile.
	metav1.ObjectMeta

	// time is when it was computed.
	Time metav1.MicroTime
	// state is the state that the profile is in.
	State ProfileState
	// sequence is the status.sequence that it is about.
	Sequence int64
	// checks are the results of all checks that transitions out of the state name.
	Checks []CheckStatus
	// transitions are the transitions out of the state.
	Transitions []TransitionStatus
	// transition is the name of the transition that would be taken now. Empty if there is none.
	Transition string
	// waitingFor says in a sentence what the node waits for. Empty if it waits for nothing.
	WaitingFor string
	// nextTime is when the answer may change by time alone.
	NextTime *metav1.MicroTime
}
