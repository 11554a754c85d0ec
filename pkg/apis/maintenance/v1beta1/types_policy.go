// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// +genclient
// +genclient:nonNamespaced
// +genclient:method=GetQueue,verb=get,subresource=queue,result=MaintenancePolicyQueue
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenancePolicy says when maintenance of the nodes that it selects may start, and of how many of
// them at the same time. A NodeMaintenance that may not start yet waits, and says for what. If several
// policies select a node, all of them must agree. What has started is never stopped: if a window
// closes, a freeze begins or a limit is lowered, maintenance that was admitted goes on to its end.
// Without policies, every NodeMaintenance starts at once.
type MaintenancePolicy struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is which nodes the policy is for, and what it asks for.
	// +optional
	Spec MaintenancePolicySpec `json:"spec,omitempty"`
	// status is what the policy means now. Only the server writes it.
	// +optional
	Status MaintenancePolicyStatus `json:"status,omitempty"`

	// Unknown is what a newer version of the server has stored in this object. See NodeMaintenance.
	Unknown UnknownFields `json:"-"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenancePolicyList is a list of MaintenancePolicies.
type MaintenancePolicyList struct {
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the MaintenancePolicies.
	Items []MaintenancePolicy `json:"items"`
}

// MaintenancePolicySpec is which nodes a policy is for, and what it asks for.
type MaintenancePolicySpec struct {
	// nodeSelector selects the nodes that the policy is for, by their labels. The empty selector {}
	// selects all nodes. Required.
	NodeSelector *metav1.LabelSelector `json:"nodeSelector"`
	// paused stops all starts. Maintenance that was admitted goes on. Defaults to false.
	// +optional
	Paused bool `json:"paused,omitempty"`
	// limits are how many nodes may be in maintenance at the same time. If not set, there is no limit.
	// +optional
	Limits PolicyLimits `json:"limits,omitempty,omitzero"`
	// pace is how fast nodes may follow one another. If not set, they may follow at once.
	// +optional
	Pace *PolicyPace `json:"pace,omitempty"`
	// autoStop stops all starts after failures. If not set, failures stop nothing.
	// +optional
	AutoStop *PolicyAutoStop `json:"autoStop,omitempty"`
	// schedule is at which times maintenance may start. If not set, it may start at any time.
	// +optional
	Schedule *PolicySchedule `json:"schedule,omitempty"`
	// approvals have people agree before maintenance starts. If not set, nobody needs to.
	// +optional
	Approvals *PolicyApprovals `json:"approvals,omitempty"`
	// gates are checked before maintenance starts, and before a node is given back. If not set, nothing
	// is checked.
	// +optional
	Gates *PolicyGates `json:"gates,omitempty"`
	// queue is how nodes that wait are dealt with.
	// +optional
	Queue PolicyQueueSpec `json:"queue,omitempty,omitzero"`
	// events are what happens at ScheduledEvents of the nodes. If not set, the server does what is usual for the
	// code of an event. If several policies select a node, the first by name that says something counts, for each
	// field of its own.
	// +optional
	Events *PolicyEvents `json:"events,omitempty"`
}

// PolicyLimits are how many nodes may be in maintenance at the same time. A limit is a number of nodes,
// such as 3, or a share of the nodes that the policy selects now, such as "10%". A share is rounded
// down, but is at least 1 unless it is "0%". With 0 nothing starts.
type PolicyLimits struct {
	// maxConcurrent is how many nodes may be in maintenance: from when their maintenance was admitted
	// until they were given back and pace.soakSeconds are over.
	// +optional
	MaxConcurrent *intstr.IntOrString `json:"maxConcurrent,omitempty"`
	// maxUnavailable is how many nodes may be out of service for any cause: those in maintenance, until
	// they are given back, and those that are not Ready, cordoned by somebody else or being deleted. A
	// node does not count for its own maintenance, so a broken one can be repaired. Nodes that are not
	// Ready and younger than 10 minutes do not count. Since nodes also fail by themselves, this limit
	// can be exceeded, but then nothing more starts.
	// +optional
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
	// topology are limits for groups of nodes that fail together, such as zones. At most 4, each
	// with another key.
	// +optional
	// +listType=map
	// +listMapKey=key
	Topology []TopologyLimit `json:"topology,omitempty"`
}

// TopologyLimit limits maintenance in groups of nodes. A group is called a domain. It is made of the
// selected nodes whose label has the same value. Nodes without the label are one domain.
type TopologyLimit struct {
	// key is the label, such as topology.kubernetes.io/zone. Required.
	Key string `json:"key"`
	// maxConcurrent is how many nodes of each domain may be in maintenance at the same time. A share is
	// one of the nodes of the domain.
	// +optional
	MaxConcurrent *intstr.IntOrString `json:"maxConcurrent,omitempty"`
	// maxDomains is how many domains may have nodes in maintenance at the same time. At least 1.
	// +optional
	MaxDomains *int32 `json:"maxDomains,omitempty"`
}

// PolicyPace is how fast nodes may follow one another.
type PolicyPace struct {
	// maxStarts is how many nodes may begin maintenance within perSeconds, at any time. From 1 to 1000.
	// It needs perSeconds.
	// +optional
	MaxStarts *int32 `json:"maxStarts,omitempty"`
	// perSeconds is the time for maxStarts, from 60 to 604800 (7 days). It needs maxStarts.
	// +optional
	PerSeconds *int64 `json:"perSeconds,omitempty"`
	// soakSeconds is how long a node must be Ready after it was given back before it counts no more for
	// maxConcurrent. If it is not Ready for 300 seconds in that time, its maintenance has failed. From
	// 0 to 86400. Defaults to 0.
	// +optional
	SoakSeconds int64 `json:"soakSeconds,omitempty"`
}

// PolicyAutoStop stops all starts after failures. What has started goes on. A failure is a node that
// could not be drained in time, that was held too long, whose drain passed its own deadline, that a
// release gate kept too long, or that was not Ready after it was given back.
type PolicyAutoStop struct {
	// failures is on how many nodes maintenance must fail within windowSeconds. At least 1. Required.
	Failures int32 `json:"failures"`
	// windowSeconds is the time in which failures are counted, from 60 to 2592000 (30 days). Defaults to
	// 86400 (a day).
	// +optional
	WindowSeconds *int64 `json:"windowSeconds,omitempty"`
	// drainSeconds is how long a drain may take before it counts as a failure, from 1 to 2592000. If not
	// set, only the deadline of the NodeMaintenance itself counts.
	// +optional
	DrainSeconds *int64 `json:"drainSeconds,omitempty"`
	// heldSeconds is how long a node may be in maintenance before that counts as a failure, from 1 to
	// 31536000. If not set, it may be in maintenance for any time.
	// +optional
	HeldSeconds *int64 `json:"heldSeconds,omitempty"`
	// ignoreBefore ends a stop: failures until this time count no more, such as 2026-11-22T11:49:00Z.
	// The policy stays stopped until a person sets it. A time in the future switches the stop off until
	// then.
	// +optional
	IgnoreBefore *metav1.Time `json:"ignoreBefore,omitempty"`
}

// PolicySchedule is at which times maintenance may start. All times of day are those of the time zone. A
// time that the change to daylight saving time skips means the first moment after it; one that comes
// twice means the first of the two. The beginning of an interval belongs to it, and its end does not.
type PolicySchedule struct {
	// timeZone is the name of a time zone of the IANA database, such as Europe/Berlin. Defaults to UTC.
	// +optional
	TimeZone string `json:"timeZone,omitempty"`
	// windows are when maintenance may start. If there are none, it may start at any time. Windows that
	// overlap or touch are one. At most 16.
	// +optional
	// +listType=map
	// +listMapKey=name
	Windows []PolicyWindow `json:"windows,omitempty"`
	// lastStartSeconds is how long before the end of its window maintenance may start at the latest. Of
	// windows that overlap or touch, that is the end of the last one. A freeze does not end a window. Less
	// than the shortest window takes. Defaults to 0.
	// +optional
	LastStartSeconds int64 `json:"lastStartSeconds,omitempty"`
	// freezes are when nothing may start, whatever the windows say. At most 64.
	// +optional
	// +listType=map
	// +listMapKey=name
	Freezes []PolicyFreeze `json:"freezes,omitempty"`
}

// PolicyWindow is a time that comes once or again and again. It has one of three forms: weekly; cron
// with durationSeconds; or from with until.
type PolicyWindow struct {
	// name tells the window from others, in messages. A DNS label. Required.
	Name string `json:"name"`
	// weekly is a time of some days of each week.
	// +optional
	Weekly *WeeklyTime `json:"weekly,omitempty"`
	// cron is when the window opens, as the five fields of a line of cron: minute, hour, day of the month,
	// month, day of the week. Each is *, a number, a range such as 1-5, * or a range with a step such as
	// */15, or several of these with commas. Months and days of the week have names, too, such as jan and
	// sun; Sunday is 0 or 7. If neither day field is *, a day needs to match only one of them. It needs
	// durationSeconds.
	// +optional
	Cron string `json:"cron,omitempty"`
	// durationSeconds is how long a window with cron is open, even if the clock is put forward or back
	// meanwhile. From 300 to 604800 (7 days).
	// +optional
	DurationSeconds *int64 `json:"durationSeconds,omitempty"`
	// from is when a window opens that opens once. It needs until.
	// +optional
	From *metav1.Time `json:"from,omitempty"`
	// until is when a window closes that opens once.
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
}

// PolicyFreeze is a time in which nothing may start. It has one of the forms of a window, or one of two
// others: dates, or yearly.
type PolicyFreeze struct {
	PolicyWindow `json:",inline"`
	// dates are whole days in the time zone, such as from 2026-11-27 until 2026-11-30.
	// +optional
	Dates *DateRange `json:"dates,omitempty"`
	// yearly are the same whole days of each year, such as from 12-20 until 01-02.
	// +optional
	Yearly *YearlyRange `json:"yearly,omitempty"`
}

// Weekday is a day of the week: Mon, Tue, Wed, Thu, Fri, Sat or Sun.
// +enum
type Weekday string

const (
	// Monday is the first day of the week.
	Monday Weekday = "Mon"
	// Tuesday is the second day of the week.
	Tuesday Weekday = "Tue"
	// Wednesday is the third day of the week.
	Wednesday Weekday = "Wed"
	// Thursday is the fourth day of the week.
	Thursday Weekday = "Thu"
	// Friday is the fifth day of the week.
	Friday Weekday = "Fri"
	// Saturday is the sixth day of the week.
	Saturday Weekday = "Sat"
	// Sunday is the last day of the week.
	Sunday Weekday = "Sun"
)

// WeeklyTime is a time of some days of each week.
type WeeklyTime struct {
	// days are the days on which it begins. If there are none, it begins each day.
	// +optional
	// +listType=set
	Days []Weekday `json:"days,omitempty"`
	// start is when it begins, as HH:MM, such as 22:00. Required.
	Start string `json:"start"`
	// end is when it ends, as HH:MM. If it is not after start, it is on the next day. From 00:00 until 00:00
	// is a whole day. Required.
	End string `json:"end"`
}

// DateRange is a range of days.
type DateRange struct {
	// from is the first day, as YYYY-MM-DD. Required.
	From string `json:"from"`
	// until is the last day, as YYYY-MM-DD. Required.
	Until string `json:"until"`
}

// YearlyRange is a range of days of each year.
type YearlyRange struct {
	// from is the first day, as MM-DD. 02-29 is March 1 in years that do not have it. Required.
	From string `json:"from"`
	// until is the last day, as MM-DD. If it is before from, it is in the next year. Required.
	Until string `json:"until"`
}

// PolicyApprovals have people agree before maintenance starts: POST nodemaintenances/<name>/approval.
type PolicyApprovals struct {
	// count is how many people must approve, from 1 to 5. Required.
	Count int32 `json:"count"`
	// validSeconds is how long an approval counts. Maintenance must start within that time. From 60 to
	// 2592000 (30 days). Defaults to 86400 (a day).
	// +optional
	ValidSeconds *int64 `json:"validSeconds,omitempty"`
	// allowSelf counts the approval of the user who created the NodeMaintenance. Defaults to false.
	// +optional
	AllowSelf bool `json:"allowSelf,omitempty"`
}

// PolicyGates are checks. All must pass. A check that gets no answer does not pass.
type PolicyGates struct {
	// start are checked before maintenance starts: planUnblocked, prometheus and nodeCondition. At most 8.
	// +optional
	// +listType=atomic
	Start []PolicyGate `json:"start,omitempty"`
	// release are checked before a node is given back: nodeCondition, daemonSetPodsReady and prometheus.
	// While one does not pass, the node stays cordoned, and the last NodeMaintenance stays, too. At most 8.
	// +optional
	// +listType=atomic
	Release []PolicyGate `json:"release,omitempty"`
	// releaseTimeoutSeconds is how long the release gates may take before that counts as a failure. The
	// node stays cordoned even then. From 1 to 604800. Defaults to 1800 (half an hour).
	// +optional
	ReleaseTimeoutSeconds *int64 `json:"releaseTimeoutSeconds,omitempty"`
}

// PolicyGate is one check. Exactly one of its fields is set.
type PolicyGate struct {
	// planUnblocked passes if nothing keeps a pod on the node for good. Only for the start; true is its
	// only value.
	// +optional
	PlanUnblocked bool `json:"planUnblocked,omitempty"`
	// prometheus passes if a query has a result.
	// +optional
	Prometheus *PrometheusGate `json:"prometheus,omitempty"`
	// nodeCondition passes if the node has a condition.
	// +optional
	NodeCondition *NodeConditionGate `json:"nodeCondition,omitempty"`
	// daemonSetPodsReady passes if the node has a ready pod of each DaemonSet that is to run there. Only
	// for the release; true is its only value.
	// +optional
	DaemonSetPodsReady bool `json:"daemonSetPodsReady,omitempty"`
}

// PrometheusGate asks the Prometheus server that the flag --prometheus-url names.
type PrometheusGate struct {
	// query is a query of PromQL that says when to go on: it passes if its result is not empty and has no
	// NaN, as with sum(up{job="db"}) > 2. To wait while alerts fire, write
	// absent(ALERTS{alertstate="firing", severity="critical"}). $(nodeName) stands for the name of the
	// node. At most 4,096 bytes. Required.
	Query string `json:"query"`
	// forSeconds is for how long the query must have passed, from 0 to 86400. In a release gate, it must be
	// less than releaseTimeoutSeconds. Defaults to 0.
	// +optional
	ForSeconds int64 `json:"forSeconds,omitempty"`
}

// NodeConditionGate asks for a condition of the node.
type NodeConditionGate struct {
	// type is the type of the condition, such as Ready. Required.
	Type string `json:"type"`
	// status is the status that the condition must have. Defaults to True.
	// +optional
	Status metav1.ConditionStatus `json:"status,omitempty"`
	// forSeconds is for how long the condition must have had that status, from 0 to 86400. Defaults to 0.
	// +optional
	ForSeconds int64 `json:"forSeconds,omitempty"`
}

// PolicyQueueSpec is how nodes that wait are dealt with.
type PolicyQueueSpec struct {
	// markWaiting marks nodes that may start within 24 hours with the taint
	// maintenance.medik8s.io/planned:PreferNoSchedule, so that evicted pods do not go to a node that is
	// next. Defaults to true.
	// +optional
	MarkWaiting *bool `json:"markWaiting,omitempty"`
	// agingSeconds is after how long the node that waits longest gets the next free slots, although
	// others could use them sooner. From 0 to 2592000. Defaults to 3600 (an hour).
	// +optional
	AgingSeconds *int64 `json:"agingSeconds,omitempty"`
}

// MaintenancePolicyStatus is what a policy means now.
type MaintenancePolicyStatus struct {
	// observedGeneration is the metadata.generation that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// selected is how many nodes the policy selects.
	// +optional
	Selected int32 `json:"selected"`
	// inMaintenance is how many nodes count for maxConcurrent, with those in soaking.
	// +optional
	InMaintenance int32 `json:"inMaintenance"`
	// soaking is how many nodes were given back, and count until pace.soakSeconds are over.
	// +optional
	Soaking int32 `json:"soaking"`
	// unavailable is how many nodes count for maxUnavailable.
	// +optional
	Unavailable int32 `json:"unavailable"`
	// waiting is how many nodes wait for the policy.
	// +optional
	Waiting int32 `json:"waiting"`
	// maxConcurrent is limits.maxConcurrent as a number of nodes. Not set if there is no such limit.
	// +optional
	MaxConcurrent *int32 `json:"maxConcurrent,omitempty"`
	// maxUnavailable is limits.maxUnavailable as a number of nodes. Not set if there is no such limit.
	// +optional
	MaxUnavailable *int32 `json:"maxUnavailable,omitempty"`
	// failures are the failures that count for autoStop, oldest first. At most 20.
	// +optional
	// +listType=atomic
	Failures []PolicyFailure `json:"failures,omitempty"`
	// stoppedTime is when failures stopped the policy.
	// +optional
	StoppedTime *metav1.Time `json:"stoppedTime,omitempty"`
	// nextOpenTime is when maintenance may start again. Not set while it may start.
	// +optional
	NextOpenTime *metav1.Time `json:"nextOpenTime,omitempty"`
	// nextCloseTime is until when maintenance may start. Not set while it may not start, or if the
	// schedule never closes.
	// +optional
	NextCloseTime *metav1.Time `json:"nextCloseTime,omitempty"`
	// nextOpenings are the next five times in which maintenance may start. Only the answer to a write with
	// dryRun=All has them. They are never stored.
	// +optional
	// +listType=atomic
	NextOpenings []PolicyOpening `json:"nextOpenings,omitempty"`
	// conditions are Open (True while the schedule lets maintenance start) and Stopped (True while
	// failures have stopped the policy).
	// +optional
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}

// PolicyOpening is a time in which maintenance may start.
type PolicyOpening struct {
	// from is when maintenance may start.
	From metav1.Time `json:"from"`
	// until is when it may start no more. Not set if that is more than a year away.
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
}

// PolicyFailure is a maintenance that failed.
type PolicyFailure struct {
	// node is the name of the node.
	Node string `json:"node"`
	// nodeUID is the UID of the node.
	// +optional
	NodeUID types.UID `json:"nodeUID,omitempty"`
	// reason is why it counts as failed: DrainOverdue, HeldTooLong, DrainFailed, ReleaseTimedOut or
	// NotReady.
	Reason FailureReason `json:"reason"`
	// time is when it failed.
	Time metav1.Time `json:"time"`
}

// FailureReason is why a maintenance counts as failed.
// +enum
type FailureReason string

const (
	// FailureDrainOverdue means that the drain took longer than autoStop.drainSeconds.
	FailureDrainOverdue FailureReason = "DrainOverdue"
	// FailureHeldTooLong means that the node was in maintenance longer than autoStop.heldSeconds.
	FailureHeldTooLong FailureReason = "HeldTooLong"
	// FailureDrainFailed means that a NodeMaintenance of the node was Failed.
	FailureDrainFailed FailureReason = "DrainFailed"
	// FailureReleaseTimedOut means that a release gate did not pass in time.
	FailureReleaseTimedOut FailureReason = "ReleaseTimedOut"
	// FailureNotReady means that the node was not Ready for 300 seconds after it was given back.
	FailureNotReady FailureReason = "NotReady"
)
