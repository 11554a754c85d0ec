// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ProfileCheck is a question about a node or the cluster. Exactly one of its fields, besides name, is set.
// Its result is True, False, Error (it could not be answered) or Unknown (it has not been answered yet).
type ProfileCheck struct {
	// name is what transitions call it. From 1 to 63 letters, digits and "_"; the first one is no digit, and
	// it is no reserved word of CEL, such as true, in or function. Required.
	Name string
	// nodeAnnotation is True if the node has an annotation, and perhaps a certain value of it.
	NodeAnnotation *KeyValueCheck
	// nodeLabel is True if the node has a label, and perhaps a certain value of it.
	NodeLabel *KeyValueCheck
	// anyNode is True if at least one node of the cluster has a label. The node itself counts, too.
	AnyNode *KeyValueCheck
	// nodeCondition is True if the node has a condition with a certain status.
	NodeCondition *NodeConditionCheck
	// node is True if an expression about the node is.
	Node *NodeExpressionCheck
	// object is True if an expression about other objects of the cluster is.
	Object *ObjectCheck
	// nodeCount is True if the cluster has enough nodes.
	NodeCount *NodeCountCheck
	// clusterVersion is True if the node is behind: another node has a higher version.
	ClusterVersion *ClusterVersionCheck
	// podAffinity is True unless pods would move twice: see PodAffinityCheck.
	PodAffinity *PodAffinityCheck
	// maxInMaintenance is True if fewer nodes are in maintenance than may be.
	MaxInMaintenance *MaxInMaintenanceCheck
	// stagger is True if enough time is over since other nodes have started.
	Stagger *StaggerCheck
	// timeWindow is True at some times of some days.
	TimeWindow *TimeWindowCheck
	// wait is True if the profile has been in its state for long enough.
	Wait *WaitCheck
	// prometheus is True if an expression about the answer to a query is.
	Prometheus *PrometheusCheck
	// http is True if an expression about the answer of an HTTP server is.
	HTTP *HTTPCheck
	// approval is True if people have approved the transition.
	Approval *ApprovalCheck
}

// KeyValueCheck asks for a label or an annotation, such as {key: example.com/reboot-needed, value: "true"}. It is
// False if there is none with the key.
type KeyValueCheck struct {
	// key is its key, such as example.com/reboot-needed. Required.
	Key string
	// value is the value that it must have, exactly. If not set, any value will do. "" is the empty value.
	Value *string
}

// NodeConditionCheck asks for a condition of the node, such as {type: Ready, status: "True"}. It is False if the
// node has no condition of the type.
type NodeConditionCheck struct {
	// type is the type of the condition, such as Ready. Required.
	Type string
	// status is the status that it must have: True, False or Unknown. Required.
	Status metav1.ConditionStatus
}

// NodeExpressionCheck asks a question about the node that nodeLabel, nodeAnnotation and nodeCondition cannot ask.
// It ends in an error if the expression names a field that this node does not have: ask with has(...) first.
type NodeExpressionCheck struct {
	// expression is an expression of CEL with the variable node, such as
	// "node.status.nodeInfo.kernelVersion.startsWith('6.')". It is evaluated when something of the node
	// changes, but for the times of its heartbeats and its list of images. At most 4,096 bytes. Required.
	Expression string
}

// ObjectCheck asks a question about objects of the cluster, of any resource: about one object that
// nameExpression names, or about all that selector selects. The server watches each resource that profiles
// ask about, while an answer matters, with at most 20 watches; each namespace and each selector of a resource
// needs one. It needs the rights to get, list and watch it, and so does whoever writes the profile: without
// them, and if there is no such resource, the check ends in an error. metadata.managedFields cannot be asked
// about.
type ObjectCheck struct {
	// apiVersion is the group and version of the resource, such as apps/v1, or v1. Required.
	APIVersion string
	// resource is its name in the plural, such as deployments. Required.
	Resource string
	// namespace is where the objects are. Only for resources that have namespaces, and required with
	// nameExpression then. If not set, selector selects in all namespaces.
	Namespace string
	// nameExpression is an expression of CEL with the variable node whose value is the name of the object,
	// such as node.metadata.name. At most 1,024 bytes. Either it or selector is set.
	NameExpression string
	// selector selects objects by their labels. Either it or nameExpression is set.
	Selector *metav1.LabelSelector
	// expression is an expression of CEL with the variable node, and with object (with nameExpression) or
	// objects (with selector, a list), such as "object.status.ready" or "objects.all(o, o.status.ready)". At
	// most 4,096 bytes. Required.
	Expression string
	// missing is the result if there is no object of the name: Error, False or True. It means nothing with
	// selector, where objects is empty then. If not set, it is Error.
	Missing MissingResult
}

// MissingResult is the result of a check whose object does not exist.
type MissingResult string

const (
	// MissingError means that the check ends in an error.
	MissingError MissingResult = "Error"
	// MissingFalse means that the check is False.
	MissingFalse MissingResult = "False"
	// MissingTrue means that the check is True.
	MissingTrue MissingResult = "True"
)

// NodeCountCheck asks how many nodes the cluster has, whether they are Ready or not, such as {min: 3}.
type NodeCountCheck struct {
	// min is how many nodes it must have at least. At least 1. Required.
	Min int32
}

// ClusterVersionCheck asks whether another node has a higher version than this one, so that the first node that was
// updated has the others follow. Such as {labelKey: example.com/os-version}. Versions are those of semver.org:
// 1.10.0 is higher than 1.9.0, and 1.10.0 is higher than 1.10.0-rc.1. Other nodes without the label, or with a value
// that is no version, do not count. If this node has no version, the check ends in an error.
type ClusterVersionCheck struct {
	// labelKey is the label that has the version of a node, such as
	// flatcar-linux-update.v1.flatcar-linux.net/version. Required.
	LabelKey string
	// scope is which nodes are compared: Cluster, all; or Profile, those that the profile is on. If not set,
	// it is Cluster.
	Scope VersionScope
	// parse is which values are versions. Strict takes three numbers, such as 1.2.3. Tolerant also takes v1.2.3
	// and 1.2, and zeros at the beginning of numbers. If not set, it is Strict.
	Parse VersionParse
}

// VersionScope is of which nodes the versions are compared.
type VersionScope string

const (
	// VersionScopeCluster is all nodes.
	VersionScopeCluster VersionScope = "Cluster"
	// VersionScopeProfile is the nodes that the profile is on.
	VersionScopeProfile VersionScope = "Profile"
)

// VersionParse is which values are versions.
type VersionParse string

const (
	// VersionStrict takes only what semver.org allows.
	VersionStrict VersionParse = "Strict"
	// VersionTolerant also takes v1.2.3 and 1.2.
	VersionTolerant VersionParse = "Tolerant"
)

// PodAffinityCheck asks whether pods would move twice. Workloads can prefer nodes that are not about to go, with a
// preferred node affinity to the label cloud.sap/maintenance-state, which the server sets with --sap-mirrors, with
// the operator In and the one value operational. The check is True if no pod of the node has that affinity: then
// those of other nodes will not come here. It is also True if all other nodes where the profile is
// MaintenanceRequired have such pods: nodes without them go first. Pods that have finished or are being deleted,
// static pods and those of DaemonSets do not count, since they do not move. Only in the state MaintenanceRequired;
// elsewhere it ends in an error. Such as {} or {minOperational: 5}.
type PodAffinityCheck struct {
	// minOperational is on how many nodes the profile must be Operational for the check to be True
	// whatever the pods want: there is then room enough. If 0, the pods always matter. Defaults to 0.
	MinOperational int32
}

// MaxInMaintenanceCheck asks how many nodes are in maintenance: on how many a profile is InMaintenance. Such as
// {max: 1, groupBy: [topology.kubernetes.io/zone]}: one node of each zone at a time. If the check decides about a
// transition to InMaintenance, its limit is never exceeded, however many nodes ask at the same time.
type MaxInMaintenanceCheck struct {
	// max is how many nodes may be in maintenance: the check is True while fewer are. At least 1. Required.
	Max int32
	// profile counts only nodes that carry this profile, by its alias, whichever of their profiles is in
	// maintenance. If not set, all nodes count.
	Profile string
	// groupBy are labels, such as topology.kubernetes.io/zone: only nodes with the same values as this node
	// count. A label that this node does not have, or has empty, is left out. At most 8.
	GroupBy []string
	// skipAfterSeconds is after how long in maintenance a node counts no more, so that one that is stuck
	// does not stop all others. From 1 to 31536000 (365 days). If not set, each node counts for as long as it
	// is in maintenance.
	SkipAfterSeconds *int64
}

// StaggerCheck has nodes start one after the other, such as {pool: web, seconds: 480}: 8 minutes from one start to
// the next, whether the node before is through or not. Each start takes a place of a pool. It is taken only if the
// check has decided about the transition: a place is not lost to a transition that would have been taken anyway. A
// transition that is given up before its first trigger gives the place back.
type StaggerCheck struct {
	// pool is the name of the pool. Checks of all profiles that name the same pool share it. From 1 to 253
	// letters, digits, "-", ".", "_" and "/". Required.
	Pool string
	// seconds is how long a start takes a place. From 1 to 31536000 (365 days). Required.
	Seconds int64
	// parallel is how many places the pool has. From 1 to 100. If not set, it is 1.
	Parallel *int32
}

// TimeWindowCheck is True at some times of some days, from start, which belongs to it, until end, which does not.
// Such as {start: "22:00", end: "04:00", weekdays: [Fri], timeZone: Europe/Berlin}: the night from Friday to
// Saturday. A time that the change to daylight saving time skips means the first moment after it; one that comes
// twice means the first of the two.
type TimeWindowCheck struct {
	// start is when it begins, as HH:MM, such as 22:00. Required.
	Start string
	// end is when it ends, as HH:MM. If it is not after start, it is on the next day. From 00:00 until 00:00 is
	// a whole day. Required.
	End string
	// weekdays are the days on which it begins. If there are none, it begins each day.
	Weekdays []Weekday
	// timeZone is the name of a time zone of the IANA database, such as Europe/Berlin. If not set, it is UTC.
	TimeZone string
	// excludeDates are days on which it does not begin: of each year, as MM-DD, such as 12-24, or of one year,
	// as YYYY-MM-DD, such as 2026-11-27. What began the day before goes on. At most 64.
	ExcludeDates []string
}

// WaitCheck is True once the profile has been in its state for some time, such as {seconds: 720}: 12 minutes after
// the state was entered.
type WaitCheck struct {
	// seconds is for how long. From 1 to 31536000 (365 days). Required.
	Seconds int64
	// excludeWeekdays are days whose time does not count. Not all seven.
	ExcludeWeekdays []Weekday
	// timeZone is the name of a time zone of the IANA database, in which these days begin and end. If not
	// set, it is UTC.
	TimeZone string
}

// PrometheusCheck asks a Prometheus server, such as {endpoint: monitoring, query: "sum(up)", expression: "value >
// 3"}. The result of the query must be one number, and not NaN: a scalar, or a vector with one element. Else, if
// Prometheus warns that the result may not be complete, and if there is no answer, the check ends in an error. The
// same query of several nodes is asked once for all.
type PrometheusCheck struct {
	// endpoint is the name of a MaintenanceEndpoint with prometheus. Required.
	Endpoint string
	// query is a query of PromQL, such as max(up{job="db"}). $(nodeName) stands for the name of the node: each
	// node is then a query of its own, which perMinute of the endpoint has to allow. At most 4,096 bytes.
	// Required.
	Query string
	// expression is an expression of CEL with the variable value, the number, such as "value < 0.5". To count
	// with it, numbers need a point: "value + 1.0". At most 4,096 bytes. Required.
	Expression string
	// intervalSeconds is how long an answer is used before the server is asked again, more or less by a tenth.
	// It is asked only while the answer matters. After a failure it is asked again after 5 seconds, and then
	// less often, down to every 2 minutes. An answer that is older than two intervals and a minute counts no
	// more. From 5 to 86400. If not set, it is 30.
	IntervalSeconds *int64
}

// HTTPCheck asks an HTTP server, with GET. If there is no answer, or its body is larger than 1 MiB, the check
// ends in an error. Redirects are not followed. The same path for several nodes is asked once for all.
type HTTPCheck struct {
	// endpoint is the name of a MaintenanceEndpoint with http or keystone. Required.
	Endpoint string
	// path is what is added to the URL of the endpoint, such as /ready?node=$(nodeName). It may have a query,
	// but not "..". $(nodeName) stands for the name of the node: each node is then a call of its own, which
	// perMinute of the endpoint has to allow. At most 2,048 bytes.
	Path string
	// expression is an expression of CEL with the variables response.status (a number, such as 200),
	// response.headers (a map of strings; their names are in lower case), response.body (a string),
	// response.json (the body as JSON; an error if it is none), and nodeCount, how many nodes the cluster had
	// when the answer came. Such as "response.status == 200 && response.json.size <= nodeCount". Whether all
	// nodes of the pools of a Kubernikus cluster are there says, with an endpoint with keystone and the path
	// /api/v1/clusters/<name>: "response.status == 200 && response.json.spec.nodePools.map(p, p.size).sum() <=
	// nodeCount". At most 4,096 bytes. Required.
	Expression string
	// intervalSeconds is how long an answer is used before the server is asked again, more or less by a tenth.
	// It is asked only while the answer matters. After a failure it is asked again after 5 seconds, and then
	// less often, down to every 2 minutes. An answer that is older than two intervals and a minute counts no
	// more. From 5 to 86400. If not set, it is 60.
	IntervalSeconds *int64
}

// ApprovalCheck is True once people have approved: POST nodeprofiles/<name>/decision. Such as {approvers: 2}: two
// of them; a person counts once. An approval counts for the state in which it was given, until the state is left or
// the approval expires.
type ApprovalCheck struct {
	// approvers is how many people must approve, from 1 to 5. If not set, it is 1.
	Approvers *int32
}
