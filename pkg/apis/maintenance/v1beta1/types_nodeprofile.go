// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// +genclient
// +genclient:nonNamespaced
// +genclient:method=CreateDecision,verb=create,subresource=decision,input=NodeProfileDecision,result=NodeProfileDecision
// +genclient:method=GetEvaluation,verb=get,subresource=evaluation,result=NodeProfileEvaluation
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeProfile is one MaintenanceProfile on one node: which state it is in, since when and why, what it waits for,
// and what was done. Its name is the names of the node and of the profile with a dot between them. The server
// creates, writes and deletes it. People decide with POST nodeprofiles/<name>/decision.
type NodeProfile struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is which profile on which node it is.
	// +optional
	Spec NodeProfileSpec `json:"spec,omitempty"`
	// status is where the node is.
	// +optional
	Status NodeProfileStatus `json:"status,omitempty"`

	// Unknown is what a newer version of the server has stored in this object. See NodeMaintenance.
	Unknown UnknownFields `json:"-"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeProfileList is a list of NodeProfiles.
type NodeProfileList struct {
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the NodeProfiles.
	Items []NodeProfile `json:"items"`
}

// NodeProfileSpec is which profile on which node it is. It does not change.
type NodeProfileSpec struct {
	// nodeName is the name of the node.
	NodeName string `json:"nodeName"`
	// profile is the name of the MaintenanceProfile.
	Profile string `json:"profile"`
}

// NodeProfileStatus is where a node is. All times are moments, not what is left until then, so that time alone
// changes nothing here.
type NodeProfileStatus struct {
	// profileGeneration is the metadata.generation of the profile that this status was made from.
	// +optional
	ProfileGeneration int64 `json:"profileGeneration,omitempty"`
	// state is the state that the profile is in.
	// +optional
	State ProfileState `json:"state,omitempty"`
	// sequence counts the states that were entered, from 1. Decisions of people count only for the sequence
	// in which they were made.
	// +optional
	Sequence int64 `json:"sequence,omitempty"`
	// attempt counts the transitions that were decided in this state, with those that were given up.
	// +optional
	Attempt int64 `json:"attempt,omitempty"`
	// since is when the state was entered.
	// +optional
	Since *metav1.Time `json:"since,omitempty"`
	// previous is the state before.
	// +optional
	Previous ProfileState `json:"previous,omitempty"`
	// nodeUID is the UID of the node. For a new node of the same name, everything begins anew.
	// +optional
	NodeUID types.UID `json:"nodeUID,omitempty"`
	// nodeGoneTime is since when the node does not exist. Not set while it does.
	// +optional
	NodeGoneTime *metav1.Time `json:"nodeGoneTime,omitempty"`
	// transition is what is being done: a transition that was decided, or the triggers of a state that was
	// entered. It is recorded before anything is done. Not set while nothing is being done.
	// +optional
	Transition *RecordedTransition `json:"transition,omitempty"`
	// checks are the results of the checks that transitions out of the state name, in the order of the
	// profile.
	// +optional
	// +listType=map
	// +listMapKey=name
	Checks []CheckStatus `json:"checks,omitempty"`
	// transitions are the transitions out of the state, in the order of the profile.
	// +optional
	// +listType=map
	// +listMapKey=name
	Transitions []TransitionStatus `json:"transitions,omitempty"`
	// waitingFor says in a sentence what the node waits for. Empty if it waits for nothing.
	// +optional
	WaitingFor string `json:"waitingFor,omitempty"`
	// notifications are what is sent, and was sent last, oldest first. At most 20.
	// +optional
	// +listType=map
	// +listMapKey=id
	Notifications []NotificationStatus `json:"notifications,omitempty"`
	// decisions are what people have decided: POST nodeprofiles/<name>/decision. Oldest first. At most 20.
	// +optional
	// +listType=atomic
	Decisions []RecordedDecision `json:"decisions,omitempty"`
	// history are the last transitions, oldest first. At most 20.
	// +optional
	// +listType=atomic
	History []TransitionHistory `json:"history,omitempty"`
	// hold is the NodeMaintenance of the profile on the node. Not set if there is none. It is recorded before
	// it is created, and until it is gone.
	// +optional
	Hold *NodeProfileHold `json:"hold,omitempty"`
	// conditions are Attached (False while the profile does not select the node any more), NodeFound (False
	// while the node does not exist), Evaluated (False while a check that matters ends in an error, or the
	// profile cannot be applied) and Acting (False with the reason DryRun, Paused, OtherController, StoppedAfterCrash,
	// AuthorLost, NotPermitted or NotAdopted while nothing is done).
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// RecordedTransition is what is being done.
type RecordedTransition struct {
	// id tells it from all others: <UID of the NodeProfile>/<sequence>.<attempt>.
	ID string `json:"id"`
	// phase is what the steps belong to: Triggers, to the transition, before the state changes; or Enter, to
	// the state that was entered.
	Phase TransitionPhase `json:"phase"`
	// name is the name of the transition.
	Name string `json:"name"`
	// from is the state that it leads from.
	From ProfileState `json:"from"`
	// next is the state that it leads to.
	Next ProfileState `json:"next"`
	// by is the user who pushed it. Empty if its checks have passed.
	// +optional
	By string `json:"by,omitempty"`
	// reason is why that user did, for other people to read.
	// +optional
	Reason string `json:"reason,omitempty"`
	// approvedBy are the users whose approvals counted.
	// +optional
	// +listType=atomic
	ApprovedBy []string `json:"approvedBy,omitempty"`
	// decisive are the checks that decided: with other results of them, it would not have been taken.
	// +optional
	// +listType=atomic
	Decisive []string `json:"decisive,omitempty"`
	// decidedTime is when it was decided. If no step has begun 60 seconds later, it is decided anew.
	DecidedTime metav1.MicroTime `json:"decidedTime"`
	// abortedTime is when somebody, or a trigger that failed, has given it up. Steps that have not begun are not
	// done any more.
	// +optional
	AbortedTime *metav1.Time `json:"abortedTime,omitempty"`
	// holdStage is the stage of the hold that the transition waits for before its first step. Empty if it
	// waits for none.
	// +optional
	HoldStage MaintenanceStage `json:"holdStage,omitempty"`
	// holdBefore is the hold when the transition was decided. If the transition is given up, the hold is so
	// again. Not set if there was none.
	// +optional
	HoldBefore *NodeProfileHold `json:"holdBefore,omitempty"`
	// steps are the triggers, in the order in which they are done.
	// +optional
	// +listType=map
	// +listMapKey=id
	Steps []TransitionStep `json:"steps,omitempty"`
}

// TransitionPhase is what the steps of a transition belong to.
// +enum
type TransitionPhase string

const (
	// PhaseTriggers means that the state changes after the steps.
	PhaseTriggers TransitionPhase = "Triggers"
	// PhaseEnter means that the state has changed, and that the steps are those of its enter.
	PhaseEnter TransitionPhase = "Enter"
)

// TransitionStep is a trigger that is done.
type TransitionStep struct {
	// id tells it from the other steps of the transition: its place in the list, from 0, and the name of the
	// trigger, such as 0-drain. The same trigger may be there twice.
	ID string `json:"id"`
	// trigger is the trigger as it was when the transition was decided. Later changes of the profile do not
	// matter to it.
	Trigger ProfileTrigger `json:"trigger"`
	// object is the name of the object that it is about: for a patchObject, the value that nameExpression had;
	// for a job, or the job of a reboot, the Job, once it was created.
	// +optional
	Object string `json:"object,omitempty"`
	// patch is the value that patchExpression of a patchObject had, as JSON. It may have parts of objects, so that only the
	// server itself sees it. Others see (not shown).
	// +optional
	Patch string `json:"patch,omitempty"`
	// bootID is the boot ID of the node that a reboot has to end: status.nodeInfo.bootID as it was when the step began,
	// or when an earlier one did that may have asked for the reboot.
	// +optional
	BootID string `json:"bootID,omitempty"`
	// state is how far it is: Pending, Running, Done, Failed or Skipped. Running is recorded before anything
	// is done.
	State StepState `json:"state"`
	// startTime is when it was first Running.
	// +optional
	StartTime *metav1.MicroTime `json:"startTime,omitempty"`
	// failures is how many times in a row it has failed.
	// +optional
	Failures int32 `json:"failures,omitempty"`
	// nextTime is when it is tried, or asked, again.
	// +optional
	NextTime *metav1.MicroTime `json:"nextTime,omitempty"`
	// message says what it waits for, why it has failed, or what of the object a patch has not changed.
	// +optional
	Message string `json:"message,omitempty"`
}

// StepState is how far a step is.
// +enum
type StepState string

const (
	// StepPending means that it has not begun.
	StepPending StepState = "Pending"
	// StepRunning means that it may have begun, and is not done.
	StepRunning StepState = "Running"
	// StepDone means that it is done.
	StepDone StepState = "Done"
	// StepFailed means that it has failed for good.
	StepFailed StepState = "Failed"
	// StepSkipped means that it was not begun, since the transition was given up.
	StepSkipped StepState = "Skipped"
)

// CheckResult is the result of a check, or of the checks of a transition.
// +enum
type CheckResult string

const (
	// CheckTrue means that it passes.
	CheckTrue CheckResult = "True"
	// CheckFalse means that it does not pass.
	CheckFalse CheckResult = "False"
	// CheckError means that it could not be answered.
	CheckError CheckResult = "Error"
	// CheckUnknown means that it has not been answered yet.
	CheckUnknown CheckResult = "Unknown"
)

// CheckStatus is the result of a check.
type CheckStatus struct {
	// name is the name of the check.
	Name string `json:"name"`
	// result is True, False, Error or Unknown.
	Result CheckResult `json:"result"`
	// message says in a sentence why.
	// +optional
	Message string `json:"message,omitempty"`
	// info are numbers and names that the result was made from. At most 16.
	// +optional
	Info map[string]string `json:"info,omitempty"`
	// since is since when the result is this one.
	// +optional
	Since *metav1.Time `json:"since,omitempty"`
	// nextTime is when the result may change by time alone.
	// +optional
	NextTime *metav1.Time `json:"nextTime,omitempty"`
}

// TransitionStatus is whether a transition can be taken.
type TransitionStatus struct {
	// name is the name of the transition.
	Name string `json:"name"`
	// next is the state that it leads to.
	Next ProfileState `json:"next"`
	// result is that of its checks: True, False, Error or Unknown.
	Result CheckResult `json:"result"`
	// decisive are the checks that decide: with other results of them, the result would be another one.
	// +optional
	// +listType=atomic
	Decisive []string `json:"decisive,omitempty"`
	// waitingFor says in a sentence what it waits for, such as "3rd of 12 that wait for a place in
	// maintenance". Empty if it waits for nothing.
	// +optional
	WaitingFor string `json:"waitingFor,omitempty"`
}

// NotificationStatus is a notification that is sent, or was.
type NotificationStatus struct {
	// id tells it from all others, also on the other side: <UID of the NodeProfile>/<notifier>/<occasion>.
	ID string `json:"id"`
	// notifier is the name of the notifier.
	Notifier string `json:"notifier"`
	// occasion is what it is sent for: the sequence; again and again, the sequence and the second since the
	// state was entered, such as 3.600; at a time of day, the day.
	Occasion string `json:"occasion"`
	// sequence is that of the state that it tells of.
	// +optional
	Sequence int64 `json:"sequence,omitempty"`
	// state is how far it is: Pending, Sending, Sent, Failed or Unknown.
	State NotificationState `json:"state"`
	// target is the notifier as it was when the notification was made, without its templates.
	Target NotificationTarget `json:"target"`
	// texts are what is sent. Not set once it was sent.
	// +optional
	Texts *NotificationTexts `json:"texts,omitempty"`
	// hash is the SHA-256 of the texts, once they are not kept any more.
	// +optional
	Hash string `json:"hash,omitempty"`
	// time is when it was made.
	Time metav1.Time `json:"time"`
	// attempts is how many times it was tried.
	// +optional
	Attempts int32 `json:"attempts,omitempty"`
	// nextTime is when it is tried again. While it is Sending, nobody else tries it before.
	// +optional
	NextTime *metav1.Time `json:"nextTime,omitempty"`
	// sentTime is when it was sent.
	// +optional
	SentTime *metav1.Time `json:"sentTime,omitempty"`
	// receipt is what the other side calls it, such as the timestamp of a message in Slack.
	// +optional
	Receipt string `json:"receipt,omitempty"`
	// message says why it was not sent. It has no URLs and no credentials.
	// +optional
	Message string `json:"message,omitempty"`
}

// NotificationState is how far a notification is.
// +enum
type NotificationState string

const (
	// NotificationPending means that it is going to be sent.
	NotificationPending NotificationState = "Pending"
	// NotificationSending means that it may be under way. It is recorded before it is sent.
	NotificationSending NotificationState = "Sending"
	// NotificationSent means that the other side has it.
	NotificationSent NotificationState = "Sent"
	// NotificationFailed means that it was refused, or could not be sent in an hour.
	NotificationFailed NotificationState = "Failed"
	// NotificationUnknown means that nobody knows whether the other side has it, and that it is not sent
	// again.
	NotificationUnknown NotificationState = "Unknown"
)

// NotificationTarget is where a notification is sent. The kind of the endpoint and the field thread say how.
type NotificationTarget struct {
	// kind is the kind of the notifier: slack, slackThread, mail or webhook.
	Kind NotifierKind `json:"kind"`
	// endpoint is the name of the MaintenanceEndpoint.
	Endpoint string `json:"endpoint"`
	// channel is the channel of Slack.
	// +optional
	Channel string `json:"channel,omitempty"`
	// from is the sender of a mail.
	// +optional
	From string `json:"from,omitempty"`
	// to are those who get a mail.
	// +optional
	// +listType=atomic
	To []string `json:"to,omitempty"`
	// periodSeconds is how long a thread of Slack is used.
	// +optional
	PeriodSeconds int64 `json:"periodSeconds,omitempty"`
	// delivery is AtLeastOnce or AtMostOnce.
	Delivery NotifierDelivery `json:"delivery"`
}

// NotifierKind is a kind of notifier, named as its field in ProfileNotifier.
// +enum
type NotifierKind string

const (
	// NotifierSlack posts to a channel of Slack.
	NotifierSlack NotifierKind = "slack"
	// NotifierSlackThread posts to a thread in a channel of Slack.
	NotifierSlackThread NotifierKind = "slackThread"
	// NotifierMail sends a mail.
	NotifierMail NotifierKind = "mail"
	// NotifierWebhook calls an HTTP server.
	NotifierWebhook NotifierKind = "webhook"
)

// NotificationTexts are what a notification says, made from the templates of the notifier.
type NotificationTexts struct {
	// title is the title of a thread, or the subject of a mail.
	// +optional
	Title string `json:"title,omitempty"`
	// message is the text. For a webhook, it is the data as JSON.
	Message string `json:"message"`
}

// NodeProfileHold is the NodeMaintenance of a profile on a node.
type NodeProfileHold struct {
	// name is its name, made from those of the profile and the node.
	Name string `json:"name"`
	// uid is its UID. Empty until it was created.
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// source is what asks for it: State, the hold of the state, or Trigger.
	Source HoldSource `json:"source"`
	// stage is how far the node is taken out of service. Idle means that it is being given back.
	Stage MaintenanceStage `json:"stage"`
	// drain is which pods are drained, and how.
	// +optional
	Drain DrainSpec `json:"drain,omitempty,omitzero"`
	// reached is how far it is: Idle, Cordon or Drain.
	// +optional
	Reached MaintenanceStage `json:"reached,omitempty"`
	// message says in a sentence what it waits for. Empty if it waits for nothing.
	// +optional
	Message string `json:"message,omitempty"`
}

// HoldSource is what asks for a hold.
// +enum
type HoldSource string

const (
	// HoldByState means that the state asks for it.
	HoldByState HoldSource = "State"
	// HoldByTrigger means that a trigger has asked for it.
	HoldByTrigger HoldSource = "Trigger"
)

// TransitionHistory is a transition that was taken, or was given up.
type TransitionHistory struct {
	// id is the id of the transition.
	ID string `json:"id"`
	// name is the name of the transition. Empty if the state was changed without one, with a reason in
	// message: the node is a new one, or the state was adopted from another controller.
	// +optional
	Name string `json:"name,omitempty"`
	// from is the state that it led from.
	From ProfileState `json:"from"`
	// next is the state that it led to.
	Next ProfileState `json:"next"`
	// result is how it ended: Done or Aborted. Adopted, or AdoptedCordoned, means that the state was taken over
	// from another controller.
	Result TransitionResult `json:"result"`
	// decidedTime is when it was decided.
	DecidedTime metav1.Time `json:"decidedTime"`
	// endedTime is when it was done or given up.
	EndedTime metav1.Time `json:"endedTime"`
	// by is the user who pushed or aborted it. Empty if nobody did.
	// +optional
	By string `json:"by,omitempty"`
	// approvedBy are the users whose approvals counted.
	// +optional
	// +listType=atomic
	ApprovedBy []string `json:"approvedBy,omitempty"`
	// reason is why these users did, for other people to read.
	// +optional
	Reason string `json:"reason,omitempty"`
	// decisive are the checks that decided.
	// +optional
	// +listType=atomic
	Decisive []string `json:"decisive,omitempty"`
	// message says what failed, if it was given up, or what patches have not changed.
	// +optional
	Message string `json:"message,omitempty"`
}

// TransitionResult is how a transition ended.
// +enum
type TransitionResult string

const (
	// TransitionDone means that the next state was entered.
	TransitionDone TransitionResult = "Done"
	// TransitionAborted means that it was given up.
	TransitionAborted TransitionResult = "Aborted"
	// TransitionAdopted means that the state was taken over from another controller.
	TransitionAdopted TransitionResult = "Adopted"
	// TransitionAdoptedCordoned is TransitionAdopted, and the other controller had cordoned the node.
	TransitionAdoptedCordoned TransitionResult = "AdoptedCordoned"
)
