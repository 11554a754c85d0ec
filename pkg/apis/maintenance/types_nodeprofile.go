// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeProfile is one MaintenanceProfile on one node: which state it is in, since when and why, what it waits for,
// and what was done. Its name is the names of the node and of the profile with a dot between them. The server
// creates, writes and deletes it. People decide with POST nodeprofiles/<name>/decision.
type NodeProfile struct {
	metav1.TypeMeta
	// Standard object's metadata.
	metav1.ObjectMeta

	// spec is which profile on which node it is.
	Spec NodeProfileSpec
	// status is where the node is.
	Status NodeProfileStatus

	// Unknown is what a newer version of the server has stored in this object. See NodeMaintenance.
	// +k8s:conversion-gen=false
	Unknown UnknownFields
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeProfileList is a list of NodeProfiles.
type NodeProfileList struct {
	metav1.TypeMeta
	// Standard list metadata.
	metav1.ListMeta

	// items are the NodeProfiles.
	Items []NodeProfile
}

// NodeProfileSpec is which profile on which node it is. It does not change.
type NodeProfileSpec struct {
	// nodeName is the name of the node.
	NodeName string
	// profile is the name of the MaintenanceProfile.
	Profile string
}

// NodeProfileStatus is where a node is. All times are moments, not what is left until then, so that time alone
// changes nothing here.
type NodeProfileStatus struct {
	// profileGeneration is the metadata.generation of the profile that this status was made from.
	ProfileGeneration int64
	// state is the state that the profile is in.
	State ProfileState
	// sequence counts the states that were entered, from 1. Decisions of people count only for the sequence
	// in which they were made.
	Sequence int64
	// attempt counts the transitions that were decided in this state, with those that were given up.
	Attempt int64
	// since is when the state was entered.
	Since *metav1.Time
	// previous is the state before.
	Previous ProfileState
	// nodeUID is the UID of the node. For a new node of the same name, everything begins anew.
	NodeUID types.UID
	// nodeGoneTime is since when the node does not exist. Not set while it does.
	NodeGoneTime *metav1.Time
	// transition is what is being done: a transition that was decided, or the triggers of a state that was
	// entered. It is recorded before anything is done. Not set while nothing is being done.
	Transition *RecordedTransition
	// checks are the results of the checks that transitions out of the state name, in the order of the
	// profile.
	Checks []CheckStatus
	// transitions are the transitions out of the state, in the order of the profile.
	Transitions []TransitionStatus
	// waitingFor says in a sentence what the node waits for. Empty if it waits for nothing.
	WaitingFor string
	// notifications are what is sent, and was sent last, oldest first. At most 20.
	Notifications []NotificationStatus
	// decisions are what people have decided: POST nodeprofiles/<name>/decision. Oldest first. At most 20.
	Decisions []RecordedDecision
	// history are the last transitions, oldest first. At most 20.
	History []TransitionHistory
	// hold is the NodeMaintenance of the profile on the node. Not set if there is none. It is recorded before
	// it is created, and until it is gone.
	Hold *NodeProfileHold
	// conditions are Attached (False while the profile does not select the node any more), NodeFound (False
	// while the node does not exist), Evaluated (False while a check that matters ends in an error, or the
	// profile cannot be applied) and Acting (False with the reason DryRun, Paused, OtherController, StoppedAfterCrash,
	// AuthorLost, NotPermitted or NotAdopted while nothing is done).
	Conditions []metav1.Condition
}

// RecordedTransition is what is being done.
type RecordedTransition struct {
	// id tells it from all others: <UID of the NodeProfile>/<sequence>.<attempt>.
	ID string
	// phase is what the steps belong to: Triggers, to the transition, before the state changes; or Enter, to
	// the state that was entered.
	Phase TransitionPhase
	// name is the name of the transition.
	Name string
	// from is the state that it leads from.
	From ProfileState
	// next is the state that it leads to.
	Next ProfileState
	// by is the user who pushed it. Empty if its checks have passed.
	By string
	// reason is why that user did, for other people to read.
	Reason string
	// approvedBy are the users whose approvals counted.
	ApprovedBy []string
	// decisive are the checks that decided: with other results of them, it would not have been taken.
	Decisive []string
	// decidedTime is when it was decided. If no step has begun 60 seconds later, it is decided anew.
	DecidedTime metav1.MicroTime
	// abortedTime is when somebody, or a trigger that failed, has given it up. Steps that have not begun are not
	// done any more.
	AbortedTime *metav1.Time
	// holdStage is the stage of the hold that the transition waits for before its first step. Empty if it
	// waits for none.
	HoldStage MaintenanceStage
	// holdBefore is the hold when the transition was decided. If the transition is given up, the hold is so
	// again. Not set if there was none.
	HoldBefore *NodeProfileHold
	// steps are the triggers, in the order in which they are done.
	Steps []TransitionStep
}

// TransitionPhase is what the steps of a transition belong to.
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
	ID string
	// trigger is the trigger as it was when the transition was decided. Later changes of the profile do not
	// matter to it.
	Trigger ProfileTrigger
	// object is the name of the object that it is about: for a patchObject, the value that nameExpression had;
	// for a job, or the job of a reboot, the Job, once it was created.
	Object string
	// patch is the value that patchExpression of a patchObject had, as JSON. It may have parts of objects, so that only the
	// server itself sees it. Others see (not shown).
	Patch string
	// bootID is the boot ID of the node that a reboot has to end: status.nodeInfo.bootID as it was when the step began,
	// or when an earlier one did that may have asked for the reboot.
	BootID string
	// state is how far it is: Pending, Running, Done, Failed or Skipped. Running is recorded before anything
	// is done.
	State StepState
	// startTime is when it was first Running.
	StartTime *metav1.MicroTime
	// failures is how many times in a row it has failed.
	Failures int32
	// nextTime is when it is tried, or asked, again.
	NextTime *metav1.MicroTime
	// message says what it waits for, why it has failed, or what of the object a patch has not changed.
	Message string
}

// StepState is how far a step is.
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
	Name string
	// result is True, False, Error or Unknown.
	Result CheckResult
	// message says in a sentence why.
	Message string
	// info are numbers and names that the result was made from. At most 16.
	Info map[string]string
	// since is since when the result is this one.
	Since *metav1.Time
	// nextTime is when the result may change by time alone.
	NextTime *metav1.Time
}

// TransitionStatus is whether a transition can be taken.
type TransitionStatus struct {
	// name is the name of the transition.
	Name string
	// next is the state that it leads to.
	Next ProfileState
	// result is that of its checks: True, False, Error or Unknown.
	Result CheckResult
	// decisive are the checks that decide: with other results of them, the result would be another one.
	Decisive []string
	// waitingFor says in a sentence what it waits for, such as "3rd of 12 that wait for a place in
	// maintenance". Empty if it waits for nothing.
	WaitingFor string
}

// NotificationStatus is a notification that is sent, or was.
type NotificationStatus struct {
	// id tells it from all others, also on the other side: <UID of the NodeProfile>/<notifier>/<occasion>.
	ID string
	// notifier is the name of the notifier.
	Notifier string
	// occasion is what it is sent for: the sequence; again and again, the sequence and the second since the
	// state was entered, such as 3.600; at a time of day, the day.
	Occasion string
	// sequence is that of the state that it tells of.
	Sequence int64
	// state is how far it is: Pending, Sending, Sent, Failed or Unknown.
	State NotificationState
	// target is the notifier as it was when the notification was made, without its templates.
	Target NotificationTarget
	// texts are what is sent. Not set once it was sent.
	Texts *NotificationTexts
	// hash is the SHA-256 of the texts, once they are not kept any more.
	Hash string
	// time is when it was made.
	Time metav1.Time
	// attempts is how many times it was tried.
	Attempts int32
	// nextTime is when it is tried again. While it is Sending, nobody else tries it before.
	NextTime *metav1.Time
	// sentTime is when it was sent.
	SentTime *metav1.Time
	// receipt is what the other side calls it, such as the timestamp of a message in Slack.
	Receipt string
	// message says why it was not sent. It has no URLs and no credentials.
	Message string
}

// NotificationState is how far a notification is.
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
	Kind NotifierKind
	// endpoint is the name of the MaintenanceEndpoint.
	Endpoint string
	// channel is the channel of Slack.
	Channel string
	// from is the sender of a mail.
	From string
	// to are those who get a mail.
	To []string
	// periodSeconds is how long a thread of Slack is used.
	PeriodSeconds int64
	// delivery is AtLeastOnce or AtMostOnce.
	Delivery NotifierDelivery
}

// NotifierKind is a kind of notifier, named as its field in ProfileNotifier.
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
	Title string
	// message is the text. For a webhook, it is the data as JSON.
	Message string
}

// NodeProfileHold is the NodeMaintenance of a profile on a node.
type NodeProfileHold struct {
	// name is its name, made from those of the profile and the node.
	Name string
	// uid is its UID. Empty until it was created.
	UID types.UID
	// source is what asks for it: State, the hold of the state, or Trigger.
	Source HoldSource
	// stage is how far the node is taken out of service. Idle means that it is being given back.
	Stage MaintenanceStage
	// drain is which pods are drained, and how.
	Drain DrainSpec
	// reached is how far it is: Idle, Cordon or Drain.
	Reached MaintenanceStage
	// message says in a sentence what it waits for. Empty if it waits for nothing.
	Message string
}

// HoldSource is what asks for a hold.
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
	ID string
	// name is the name of the transition. Empty if the state was changed without one, with a reason in
	// message: the node is a new one, or the state was adopted from another controller.
	Name string
	// from is the state that it led from.
	From ProfileState
	// next is the state that it led to.
	Next ProfileState
	// result is how it ended: Done or Aborted. Adopted, or AdoptedCordoned, means that the state was taken over
	// from another controller.
	Result TransitionResult
	// decidedTime is when it was decided.
	DecidedTime metav1.Time
	// endedTime is when it was done or given up.
	EndedTime metav1.Time
	// by is the user who pushed or aborted it. Empty if nobody did.
	By string
	// approvedBy are the users whose approvals counted.
	ApprovedBy []string
	// reason is why these users did, for other people to read.
	Reason string
	// decisive are the checks that decided.
	Decisive []string
	// message says what failed, if it was given up, or what patches have not changed.
	Message string
}

// TransitionResult is how a transition ended.
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
