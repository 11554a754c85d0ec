// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

// ProfileTrigger is something that is done at a transition or when a state is entered. Exactly one of its
// fields, besides name, timeoutSeconds and onFailure, is set. What is to be done is recorded in the
// NodeProfile before it is done, so a later change of the profile counts from the next transition.
type ProfileTrigger struct {
	// name is what transitions and states call it. From 1 to 63 letters, digits and "_"; the first one is no
	// digit. Required.
	Name string
	// timeoutSeconds is how long it may take before it has failed. With onFailure Retry, the
	// trigger goes on after that time; only a Job is stopped. From 1 to 2592000 (30 days). If not set, it may
	// take any time.
	TimeoutSeconds *int64
	// onFailure is what happens if it has failed. Retry tries again, after 1 second at first and after 1
	// minute at last, until it succeeds or somebody aborts. What must not be done twice, such as a Job that
	// ran and failed, is not tried again: the profile waits until somebody aborts. Abort gives the
	// transition up: the profile stays in its state, or goes back to the one before if the trigger belongs
	// to enter. What was done is not undone, but the hold: it is as it was
	// before. If not set, it is Retry.
	OnFailure FailureAction
	// patchNode changes labels, annotations and finalizers of the node.
	PatchNode *PatchNodeTrigger
	// hold takes the node out of service until a release gives it back.
	Hold *HoldTrigger
	// release gives the node back.
	Release *ReleaseTrigger
	// job runs a Job on the node.
	Job *JobTrigger
	// reboot waits until the node has rebooted, which a Job or somebody else has it do.
	Reboot *RebootTrigger
	// webhook calls an HTTP server.
	Webhook *WebhookTrigger
	// patchObject changes another object of the cluster.
	PatchObject *PatchObjectTrigger
}

// FailureAction is what happens if a trigger has failed.
type FailureAction string

const (
	// FailureRetry tries again.
	FailureRetry FailureAction = "Retry"
	// FailureAbort gives the transition up.
	FailureAbort FailureAction = "Abort"
)

// PatchNodeTrigger changes labels, annotations and finalizers of the node, such as {annotations:
// {example.com/reboot-ok: "true"}, removeLabels: [example.com/busy]}. At least one of its fields is set. The marks
// that this server itself sets on nodes cannot be changed: those whose keys are in the group
// maintenance.medik8s.io, medik8s.io/drain, remediation.medik8s.io/exclude-from-remediation and
// cloud.sap/maintenance-state. At most 64 of each.
type PatchNodeTrigger struct {
	// labels are set to these values.
	Labels map[string]string
	// annotations are set to these values.
	Annotations map[string]string
	// removeLabels are the keys of labels that are removed.
	RemoveLabels []string
	// removeAnnotations are the keys of annotations that are removed.
	RemoveAnnotations []string
	// addFinalizers are added, if the node is not being deleted.
	AddFinalizers []string
	// removeFinalizers are removed.
	RemoveFinalizers []string
}

// HoldTrigger takes the node out of service: the server creates a NodeMaintenance, or raises the stage of the one
// that the profile has on the node. It stays until a release, until the profile comes into a state with a hold of
// its own, until the profile is Operational again, or until the transition is given up. It never lowers the stage:
// if that is higher already, the stage and the drain stay as they are. Such as
// {stage: Drain, drain: {timeoutSeconds: 3600}}.
type HoldTrigger struct {
	// stage is how far: Cordon or Drain. See NodeMaintenance's spec.stage. If not set, it is Drain.
	Stage MaintenanceStage
	// drain is which pods are drained, and how. See NodeMaintenance's spec.drain.
	Drain *DrainSpec
	// wait waits until the node is cordoned or drained, as stage says, before it goes on. If not set, it is
	// true.
	Wait *bool
}

// ReleaseTrigger gives the node back: the server deletes the NodeMaintenance of the profile. If others hold the
// node, it stays out of service for them. A node that was cordoned before stays so.
type ReleaseTrigger struct {
	// wait waits until the NodeMaintenance is gone before it goes on. If not set, it is true.
	Wait *bool
}

// JobTrigger runs a Job on the node once, such as {namespace: maintenance, cronJob: flash}, and waits until it has
// completed. If the Job fails, or somebody deletes it, the trigger has failed; it is never run again in the same
// transition. The Job is bound to the node by a node affinity, tolerates the cordon, and is left alone by drains.
// It is created with spec.suspend true, and started once its name is in the status of the NodeProfile. From then
// on, it has timeoutSeconds of the trigger until it is stopped, unless its template says less. If the transition is
// given up before, or another node has the name, it is stopped at once. After it has ended, it is kept for a day at
// least, but no longer than the node.
type JobTrigger struct {
	// namespace is where the CronJob is, and where the Job is created. Required.
	Namespace string
	// cronJob is the name of a CronJob with spec.suspend true, whose spec.jobTemplate the Job is made of.
	// Required.
	CronJob string
}

// RebootTrigger waits until the node has rebooted: until it is Ready, and its kubelet reports another boot ID, in
// status.nodeInfo.bootID of the node, than the one in the status of the NodeProfile. That one is recorded before
// anything is done. Such as {job: {namespace: maintenance, cronJob: reboot}}, or {} if somebody else reboots the node:
// a person, or an agent that the triggers before it in the same list have told to. With job, it is the boot ID of the
// node when the trigger begins; without, when the trigger after the last hold before it begins. A node that is down or
// not Ready is waited for also after timeoutSeconds. With onFailure Abort, the transition is given up after that time
// only while the node is Ready, has the same boot ID, and no Job runs; a reboot that comes still later hits a node in
// service.
type RebootTrigger struct {
	// job runs a Job on the node, which reboots it: at once, or in a moment. What becomes of the Job does not matter,
	// and it may die with the node. It is started while the node is Ready, once in a transition, with one pod that is
	// not run again: of its template, what would run more pods is left out, with restartPolicy Never. The pod has the
	// boot ID of the node that is to be rebooted in the annotation maintenance.medik8s.io/boot-id. If the node reboots
	// without the Job, the Job is stopped before the trigger is done. If not set, the trigger only waits.
	Job *JobTrigger
}

// WebhookTrigger calls an HTTP server with POST, such as {endpoint: cmdb}, and waits for its answer: 2xx means
// done, 202 means ask again later, 4xx but 408, 425 and 429 means refused, anything else is tried again. The header
// Retry-After of an answer says how much later. The call is as standardwebhooks.com says: the headers webhook-id
// (the same for each try), webhook-timestamp and webhook-signature, if the Secret of the endpoint has the key
// hmacKey, which may begin with whsec_. The server may be called more than once for a transition. The body is JSON
// with the fields type (nodeprofile.trigger), timestamp and data, which has id, node, nodeUID, profile, state,
// transition, from, next, phase and trigger, and by and reason if somebody pushed the transition.
type WebhookTrigger struct {
	// endpoint is the name of a MaintenanceEndpoint with webhook. Required.
	Endpoint string
}

// PatchObjectTrigger changes an object of the cluster with a merge patch. The server needs the rights to get and
// to patch it. So does whoever writes the profile. Nodes, roles and bindings, and objects of the group
// maintenance.medik8s.io cannot be changed so. If the object has been replaced by another one of its name
// meanwhile, the trigger has failed.
type PatchObjectTrigger struct {
	// apiVersion is the group and version of the resource, such as apps/v1, or v1. Required.
	APIVersion string
	// resource is its name in the plural, such as deployments. Required.
	Resource string
	// namespace is where the object is. Only for resources that have namespaces, and required then.
	Namespace string
	// nameExpression is an expression of CEL with the variable node whose value is the name of the object,
	// such as node.metadata.name. At most 1,024 bytes. Required.
	NameExpression string
	// patchExpression is an expression of CEL with the variables node and object, the object as it is, whose
	// value is the patch, a map, such as {"spec": {"maintenance": "manual"}}. null removes a field. It is
	// evaluated when the transition is recorded. At most 4,096 bytes. Required.
	PatchExpression string
}

// ProfileNotifier is how people are told that a node is in a state. Exactly one of slack, slackThread, mail and
// webhook is set. Titles, subjects and messages are templates as Go's text/template has them, with the values
// .State, .Previous (the state before), .Profile and .Profile.Current (the name of the profile), .Profile.Last (the
// profile of the node whose state has changed last), .Node (the Node as JSON, as in {{ .Node.metadata.name }}),
// .InMaintenance (whether any profile of the node is in that state), .LastTransition (since when the profile is in its
// state), .LogDetails (whether the label cloud.sap/maintenance-log-details of the node is true) and .Checks (as in
// {{ .Checks.approved.message }}; a check has name, result, message and info). For Slack, what they insert is escaped.
// Loops go over data only, and define, block and template are refused. A template has at most 8 KiB; what it makes is
// cut after 4 KiB.
type ProfileNotifier struct {
	// name is what states call it. From 1 to 63 letters, digits and "_"; the first one is no digit. Required.
	Name string
	// slack posts to a channel of Slack.
	Slack *SlackNotifier
	// slackThread posts to a thread in a channel of Slack, and starts a new one after some time.
	SlackThread *SlackThreadNotifier
	// mail sends a mail.
	Mail *MailNotifier
	// webhook calls an HTTP server.
	Webhook *WebhookNotifier
	// schedule is when it is sent. If not set, it is sent once each time the state is entered, at once, but not
	// when a profile comes to a node.
	Schedule *NotifierSchedule
	// dedupe is for what it is sent once: Profile, once for each profile of a node; or Node, once for all
	// profiles of a node that have a notifier of this name. If not set, it is Profile.
	Dedupe NotifierDedupe
	// delivery is what happens if nobody knows whether the other side has got it, such as after a crash.
	// AtLeastOnce sends it again, so people may get it twice. AtMostOnce does not, so they may miss it. If
	// not set, it is AtLeastOnce.
	Delivery NotifierDelivery
}

// NotifierDedupe is for what a notification is sent once.
type NotifierDedupe string

const (
	// DedupeProfile sends once for each profile of a node.
	DedupeProfile NotifierDedupe = "Profile"
	// DedupeNode sends once for all profiles of a node.
	DedupeNode NotifierDedupe = "Node"
)

// NotifierDelivery is what happens if nobody knows whether a notification was sent.
type NotifierDelivery string

const (
	// DeliveryAtLeastOnce sends it again.
	DeliveryAtLeastOnce NotifierDelivery = "AtLeastOnce"
	// DeliveryAtMostOnce does not send it again.
	DeliveryAtMostOnce NotifierDelivery = "AtMostOnce"
)

// SlackNotifier posts to a channel of Slack.
type SlackNotifier struct {
	// endpoint is the name of a MaintenanceEndpoint with slack. Required.
	Endpoint string
	// channel is the channel, such as #maintenance, or its ID, such as C0123456789. With the ID and a token
	// that may read the channel, a message that may be there already is looked for before it is posted
	// again. Required.
	Channel string
	// message is the template of the message. Required.
	Message string
}

// SlackThreadNotifier posts to a thread in a channel of Slack. All nodes, and all profiles that have a notifier
// of the same name, endpoint and channel, share the thread.
type SlackThreadNotifier struct {
	// endpoint is the name of a MaintenanceEndpoint with slack, whose Secret has the key token. Required.
	Endpoint string
	// channel is the channel, such as #maintenance, or its ID, such as C0123456789. With the ID and a token
	// that may read the channel, a message that may be there already is looked for before it is posted
	// again. Required.
	Channel string
	// title is the template of the message that starts a thread. Required.
	Title string
	// message is the template of the message in the thread. Required.
	Message string
	// periodSeconds is how long after its beginning a thread is used before a new one is started. From 60 to
	// 31536000 (365 days). Required.
	PeriodSeconds int64
}

// MailNotifier sends a mail.
type MailNotifier struct {
	// endpoint is the name of a MaintenanceEndpoint with smtp. Required.
	Endpoint string
	// from is the sender's address, such as "Maintenance <noreply@example.com>". Required.
	From string
	// to are the addresses of those who get it. From 1 to 32.
	To []string
	// subject is the template of the subject. Line breaks become spaces. Required.
	Subject string
	// message is the template of the text. Required.
	Message string
}

// WebhookNotifier calls an HTTP server with POST, as the trigger webhook does. 2xx means sent. The body has no
// template: its data has node, profile, state, previous, since, notifier and occasion.
type WebhookNotifier struct {
	// endpoint is the name of a MaintenanceEndpoint with webhook. Required.
	Endpoint string
}

// NotifierSchedule is when a notifier sends. Exactly one of its fields is set.
type NotifierSchedule struct {
	// periodic sends when the state is entered, and again and again while the profile is in it. In the state
	// Operational it sends only when the state is entered, and not when a profile comes to a node.
	Periodic *PeriodicSchedule
	// scheduled sends at a time of some days while the profile is in the state.
	Scheduled *ScheduledSchedule
	// oneshot sends once, some time after the state was entered.
	Oneshot *OneshotSchedule
}

// PeriodicSchedule sends again and again. While a notification waits to be sent, no other one is made.
type PeriodicSchedule struct {
	// seconds is the time between two notifications. From 60 to 31536000 (365 days). If not set, it is 3600
	// (an hour).
	Seconds *int64
}

// ScheduledSchedule sends at a time of some days. What a server that was down has missed is sent once, if it is
// still the same day. A state that is entered later on such a day is told of on the next one.
type ScheduledSchedule struct {
	// at is the time of day, as HH:MM, such as 08:00. Required.
	At string
	// weekdays are the days. If there are none, it is each day.
	Weekdays []Weekday
	// timeZone is the name of a time zone of the IANA database, such as Europe/Berlin. If not set, it is UTC.
	TimeZone string
}

// OneshotSchedule sends once.
type OneshotSchedule struct {
	// delaySeconds is how long after the state was entered. If it is left before, nothing is sent. From 0 to
	// 31536000 (365 days). If not set, it is 60.
	DelaySeconds *int64
}
