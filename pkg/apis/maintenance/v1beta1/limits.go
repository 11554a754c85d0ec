// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

// The maximum lengths of the lists in a status, so that objects stay small. A count next to
// each list has the full number.
const (
	// MaxPendingPods is how many pods status.pendingPods lists at most.
	MaxPendingPods = 100
	// MaxBlockers is how many blockers status.blockers lists at most.
	MaxBlockers = 20
	// MaxHolds is how many NodeMaintenances the status of a NodeState lists at most.
	MaxHolds = 20
)

// MaxRuleAnnotation is how many bytes the value of an annotation in a drain rule has at most. Servers that
// cache pods need to keep no more of their annotations to know whether a rule matches.
const MaxRuleAnnotation = 256

// What a profile has at most. All of it is evaluated on each of its nodes, and is copied when it is recorded.
const (
	// MaxProfileBytes is how large the spec of a MaintenanceProfile is, as JSON, in bytes. Profiles that people
	// have written have some KiB; compiled, a profile can take 30 times the memory.
	MaxProfileBytes = 64 * 1024
	// MaxProfileChecks is how many checks a profile has. A chain can then name each of them in one walk that
	// takes some microseconds.
	MaxProfileChecks = 64
	// MaxProfileTriggers is how many triggers a profile has.
	MaxProfileTriggers = 64
	// MaxProfileNotifiers is how many notifiers a profile has: fewer than MaxNotifications, so that what each
	// has sent last is always known.
	MaxProfileNotifiers = 16
	// MaxStateItems is how many enter triggers, notifiers and transitions a state has of each, and how many
	// triggers a transition.
	MaxStateItems = 16
	// MaxProfileNames is how many nodes a profile names. More than that are selected by label.
	MaxProfileNames = 1000
	// MaxNameLength is how many characters the name of a check, a trigger, a notifier or a transition has:
	// those of a label value, so that each can be one.
	MaxNameLength = 63
	// MaxGroupBy is how many labels maxInMaintenance groups by.
	MaxGroupBy = 8
	// MaxExcludeDates is how many dates a window excludes.
	MaxExcludeDates = 64
	// MaxPatchKeys is how many labels, annotations or finalizers a patchNode changes of each.
	MaxPatchKeys = 64
	// MaxMailRecipients is how many addresses a mail has, which many mail servers accept at once.
	MaxMailRecipients = 32
	// MaxPreviewNodes is how many nodes a preview lists.
	MaxPreviewNodes = 100
)

// How long texts of profiles are, in bytes, so that they are compiled, and evaluated, in a moment.
const (
	// MaxExpressionBytes is for chains, expressions of CEL and queries.
	MaxExpressionBytes = 4 * 1024
	// MaxNameExpressionBytes is for expressions whose value is a name.
	MaxNameExpressionBytes = 1024
	// MaxPathBytes is for paths of HTTP checks, which servers and proxies accept.
	MaxPathBytes = 2048
	// MaxPatchBytes is for what a patchExpression makes. It is recorded in the status of the NodeProfile.
	MaxPatchBytes = 64 * 1024
	// MaxBootIDBytes is for boot IDs that are recorded. Those of Linux have 36; the kubelet says which one it is.
	MaxBootIDBytes = 128
	// MaxTemplateBytes is for templates.
	MaxTemplateBytes = 8 * 1024
	// MaxRenderedBytes is for what a template makes. 20 of them in a status stay below 100 KiB, and Slack shows
	// no more than 4,000 characters in one piece.
	MaxRenderedBytes = 4 * 1024
	// MaxProfileMessageBytes is for messages in a status. Errors of other servers can be long.
	MaxProfileMessageBytes = 512
	// MaxCABundleBytes is for the CAs of an endpoint.
	MaxCABundleBytes = 64 * 1024
	// MaxAnswerBytes is for the bodies of answers of other servers.
	MaxAnswerBytes = 1024 * 1024
)

// The maximum lengths of the lists in the status of a NodeProfile, of which there are thousands.
const (
	// MaxNotifications is how many notifications it lists. Those that are not sent yet, and the last one of
	// each notifier, are kept before others.
	MaxNotifications = 20
	// MaxDecisions is how many decisions it lists. More are refused while all of them still count.
	MaxDecisions = 20
	// MaxHistory is how many transitions it lists.
	MaxHistory = 20
	// MaxCheckInfo is how many values info of a check has.
	MaxCheckInfo = 16
	// MaxThreads is how many threads the status of a MaintenanceEndpoint lists.
	MaxThreads = 64
	// MaxInMaintenance is how many nodes the ledger lists as InMaintenance: at some 250 bytes each, they stay
	// below 1 MiB.
	MaxInMaintenance = 4000
)

// MaxWatchedResources is how many resources checks of the kind object may watch in all profiles together, since each
// is a cache in the memory of the leader. Each namespace and each selector of a resource is one.
const MaxWatchedResources = 20

// What fields of profiles mean that are not set. The defaults of items of lists are not stored: with them, what a
// client has applied would differ from what is stored, each time that it is applied again.
const (
	// DefaultNodeGoneSeconds is for spec.nodeGoneSeconds of a profile.
	DefaultNodeGoneSeconds int64 = 600
	// DefaultPrometheusIntervalSeconds is for intervalSeconds of the check prometheus.
	DefaultPrometheusIntervalSeconds int64 = 30
	// DefaultHTTPIntervalSeconds is for intervalSeconds of the check http.
	DefaultHTTPIntervalSeconds int64 = 60
	// DefaultStaggerParallel is for parallel of the check stagger.
	DefaultStaggerParallel int32 = 1
	// DefaultApprovers is for approvers of the check approval.
	DefaultApprovers int32 = 1
	// DefaultPeriodicSeconds is for seconds of the schedule periodic.
	DefaultPeriodicSeconds int64 = 3600
	// DefaultOneshotDelaySeconds is for delaySeconds of the schedule oneshot.
	DefaultOneshotDelaySeconds int64 = 60
	// DefaultEndpointTimeoutSeconds is for spec.timeoutSeconds of an endpoint.
	DefaultEndpointTimeoutSeconds int32 = 10
	// DefaultEndpointPerMinute is for spec.perMinute of an endpoint.
	DefaultEndpointPerMinute int32 = 60
)
