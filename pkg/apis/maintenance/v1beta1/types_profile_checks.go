// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ProfileCheck is a question about a node or the cluster. Exactly one of its fields, besides name, is set.
// Its result is True, False, Error (it could not be answered) or Unknown (it has not been answered yet).
type ProfileCheck struct {
	// name is what transitions call it. From 1 to 63 letters, digits and "_"; the first one is no digit, and
	// it is no reserved word of CEL, such as true, in or function. Required.
	Name string `json:"name"`
	// nodeAnnotation is True if the node has an annotation, and perhaps a certain value of it.
	// +optional
	NodeAnnotation *KeyValueCheck `json:"nodeAnnotation,omitempty"`
	// nodeLabel is True if the node has a label, and perhaps a certain value of it.
	// +optional
	NodeLabel *KeyValueCheck `json:"nodeLabel,omitempty"`
	// anyNode is True if at least one node of the cluster has a label. The node itself counts, too.
	// +optional
	AnyNode *KeyValueCheck `json:"anyNode,omitempty"`
	// nodeCondition is True if the node has a condition with a certain status.
	// +optional
	NodeCondition *NodeConditionCheck `json:"nodeCondition,omitempty"`
	// node is True if an expression about the node is.
	// +optional
	Node *NodeExpressionCheck `json:"node,omitempty"`
	// object is True if an expression about other objects of the cluster is.
	// +optional
	Object *ObjectCheck `json:"object,omitempty"`
	// nodeCount is True if the cluster has enough nodes.
	// +optional
	NodeCount *NodeCountCheck `json:"nodeCount,omitempty"`
	// clusterVersion is True if the node is behind: another node has a higher version.
	// +optional
	ClusterVersion *ClusterVersionCheck `json:"clusterVersion,omitempty"`
	// podAffinity is True unless pods would move twice: see PodAffinityCheck.
	// +optional
	PodAffinity *PodAffinityCheck `json:"podAffinity,omitempty"`
	// maxInMaintenance is True if fewer nodes are in maintenance than may be.
	// +optional
	MaxInMaintenance *MaxInMaintenanceCheck `json:"maxInMaintenance,omitempty"`
	// stagger is True if enough time is over since other nodes have started.
	// +optional
	Stagger *StaggerCheck `json:"stagger,omitempty"`
	// timeWindow is True at some times of some days.
	// +optional
	TimeWindow *TimeWindowCheck `json:"timeWindow,omitempty"`
	// wait is True if the profile has been in its state for long enough.
	// +optional
	Wait *WaitCheck `json:"wait,omitempty"`
	// prometheus is True if an expression about the answer to a query is.
	// +optional
	Prometheus *PrometheusCheck `json:"prometheus,omitempty"`
	// http is True if an expression about the answer of an HTTP server is.
	// +optional
	HTTP *HTTPCheck `json:"http,omitempty"`
	// approval is True if people have approved the transition.
	// +optional
	Approval *ApprovalCheck `json:"approval,omitempty"`
}

// KeyValueCheck asks for a label or an annotation, such as {key: example.com/reboot-needed, value: "true"}. It is
// False if there is none with the key.
type KeyValueCheck struct {
	// key is its key, such as example.com/reboot-needed. Required.
	Key string `json:"key"`
	// value is the value that it must have, exactly. If not set, any value will do. "" is the empty value.
	// +optional
	Value *string `json:"value,omitempty"`
}

// NodeConditionCheck asks for a condition of the node, such as {type: Ready, status: "True"}. It is False if the
// node has no condition of the type.
type NodeConditionCheck struct {
	// type is the type of the condition, such as Ready. Required.
	Type string `json:"type"`
	// status is the status that it must have: True, False or Unknown. Required.
	Status metav1.ConditionStatus `json:"status"`
}

// NodeExpressionCheck asks a question about the node that nodeLabel, nodeAnnotation and nodeCondition cannot ask.
// It ends in an error if the expression names a field that this node does not have: ask with has(...) first.
type NodeExpressionCheck struct {
	// expression is an expression of CEL with the variable node, such as
	// "node.status.nodeInfo.kernelVersion.startsWith('6.')". It is evaluated when something of the node
	// changes, but for the times of its heartbeats and its list of images. At most 4,096 bytes. Required.
	Expression string `json:"expression"`
}

// ObjectCheck asks a question about objects of the cluster, of any resource: about one object that
// nameExpression names, or about all that selector selects. The server watches each resource that profiles
// ask about, while an answer matters, with at most 20 watches; each namespace and each selector of a resource
// needs one. It needs the rights to get, list and watch it, and so does whoever writes the profile: without
// them, and if there is no such resource, the check ends in an error. metadata.managedFields cannot be asked
// about.
type ObjectCheck struct {
	// apiVersion is the group and version of the resource, such as apps/v1, or v1. Required.
	APIVersion string `json:"apiVersion"`
	// resource is its name in the plural, such as deployments. Required.
	Resource string `json:"resource"`
	// namespace is where the objects are. Only for resources that have namespaces, and required with
	// nameExpression then. If not set, selector selects in all namespaces.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// nameExpression is an expression of CEL with the variable node whose value is the name of the object,
	// such as node.metadata.name. At most 1,024 bytes. Either it or selector is set.
	// +optional
	NameExpression string `json:"nameExpression,omitempty"`
	// selector selects objects by their labels. Either it or nameExpression is set.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// expression is an expression of CEL with the variable node, and with object (with nameExpression) or
	// objects (with selector, a list), such as "object.status.ready" or "objects.all(o, o.status.ready)". At
	// most 4,096 bytes. Required.
	Expression string `json:"expression"`
	// missing is the result if there is no object of the name: Error, False or True. It means nothing with
	// selector, where objects is empty then. If not set, it is Error.
	// +optional
	Missing MissingResult `json:"missing,omitempty"`
}

// MissingResult is the result of a check whose object does not exist.
// +enum
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
	Min int32 `json:"min"`
}

// ClusterVersionCheck asks whether another node has a higher version than this one, so that the first node that was
// updated has the others follow. Such as {labelKey: example.com/os-version}. Versions are those of semver.org:
// 1.10.0 is higher than 1.9.0, and 1.10.0 is higher than 1.10.0-rc.1. Other nodes without the label, or with a value
// that is no version, do not count. If this node has no version, the check ends in an error.
type ClusterVersionCheck struct {
	// labelKey is the label that has the version of a node, such as
	// flatcar-linux-update.v1.flatcar-linux.net/version. Required.
	LabelKey string `json:"labelKey"`
	// scope is which nodes are compared: Cluster, all; or Profile, those that the profile is on. If not set,
	// it is Cluster.
	// +optional
	Scope VersionScope `json:"scope,omitempty"`
	// parse is which values are versions. Strict takes three numbers, such as 1.2.3. Tolerant also takes v1.2.3
	// and 1.2, and zeros at the beginning of numbers. If not set, it is Strict.
	// +optional
	Parse VersionParse `json:"parse,omitempty"`
}

// VersionScope is of which nodes the versions are compared.
// +enum
type VersionScope string

const (
	// VersionScopeCluster is all nodes.
	VersionScopeCluster VersionScope = "Cluster"
	// VersionScopeProfile is the nodes that the profile is on.
	VersionScopeProfile VersionScope = "Profile"
)

// VersionParse is which values are versions.
// +enum
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
	// +optional
	MinOperational int32 `json:"minOperational,omitempty"`
}

// MaxInMaintenanceCheck asks how many nodes are in maintenance: on how many a profile is InMaintenance. Such as
// {max: 1, groupBy: [topology.kubernetes.io/zone]}: one node of each zone at a time. If the check decides about a
// transition to InMaintenance, its limit is never exceeded, however many nodes ask at the same time.
type MaxInMaintenanceCheck struct {
	// max is how many nodes may be in maintenance: the check is True while fewer are. At least 1. Required.
	Max int32 `json:"max"`
	// profile counts only nodes that carry this profile, by its alias, whichever of their profiles is in
	// maintenance. If not set, all nodes count.
	// +optional
	Profile string `json:"profile,omitempty"`
	// groupBy are labels, such as topology.kubernetes.io/zone: only nodes with the same values as this node
	// count. A label that this node does not have, or has empty, is left out. At most 8.
	// +optional
	// +listType=set
	GroupBy []string `json:"groupBy,omitempty"`
	// skipAfterSeconds is after how long in maintenance a node counts no more, so that one that is stuck
	// does not stop all others. From 1 to 31536000 (365 days). If not set, each node counts for as long as it
	// is in maintenance.
	// +optional
	SkipAfterSeconds *int64 `json:"skipAfterSeconds,omitempty"`
}

// StaggerCheck has nodes start one after the other, such as {pool: web, seconds: 480}: 8 minutes from one start to
// the next, whether the node before is through or not. Each start takes a place of a pool. It is taken only if the
// check has decided about the transition: a place is not lost to a transition that would have been taken anyway. A
// transition that is given up before its first trigger gives the place back.
type StaggerCheck struct {
	// pool is the name of the pool. Checks of all profiles that name the same pool share it. From 1 to 253
	// letters, digits, "-", ".", "_" and "/". Required.
	Pool string `json:"pool"`
	// seconds is how long a start takes a place. From 1 to 31536000 (365 days). Required.
	Seconds int64 `json:"seconds"`
	// parallel is how many places the pool has. From 1 to 100. If not set, it is 1.
	// +optional
	Parallel *int32 `json:"parallel,omitempty"`
}

// TimeWindowCheck is True at some times of some days, from start, which belongs to it, until end, which does not.
// Such as {start: "22:00", end: "04:00", weekdays: [Fri], timeZone: Europe/Berlin}: the night from Friday to
// Saturday. A time that the change to daylight saving time skips means the first moment after it; one that comes
// twice means the first of the two.
type TimeWindowCheck struct {
	// start is when it begins, as HH:MM, such as 22:00. Required.
	Start string `json:"start"`
	// end is when it ends, as HH:MM. If it is not after start, it is on the next day. From 00:00 until 00:00 is
	// a whole day. Required.
	End string `json:"end"`
	// weekdays are the days on which it begins. If there are none, it begins each day.
	// +optional
	// +listType=set
	Weekdays []Weekday `json:"weekdays,omitempty"`
	// timeZone is the name of a time zone of the IANA database, such as Europe/Berlin. If not set, it is UTC.
	// +optional
	TimeZone string `json:"timeZone,omitempty"`
	// excludeDates are days on which it does not begin: of each year, as MM-DD, such as 12-24, or of one year,
	// as YYYY-MM-DD, such as 2026-11-27. What began the day before goes on. At most 64.
	// +optional
	// +listType=set
	ExcludeDates []string `json:"excludeDates,omitempty"`
}

// WaitCheck is True once the profile has been in its state for some time, such as {seconds: 720}: 12 minutes after
// the state was entered.
type WaitCheck struct {
	// seconds is for how long. From 1 to 31536000 (365 days). Required.
	Seconds int64 `json:"seconds"`
	// excludeWeekdays are days whose time does not count. Not all seven.
	// +optional
	// +listType=set
	ExcludeWeekdays []Weekday `json:"excludeWeekdays,omitempty"`
	// timeZone is the name of a time zone of the IANA database, in which these days begin and end. If not
	// set, it is UTC.
	// +optional
	TimeZone string `json:"timeZone,omitempty"`
}

// PrometheusCheck asks a Prometheus server, such as {endpoint: monitoring, query: "sum(up)", expression: "value >
// 3"}. The result of the query must be one number, and not NaN: a scalar, or a vector with one element. Else, if
// Prometheus warns that the result may not be complete, and if there is no answer, the check ends in an error. The
// same query of several nodes is asked once for all.
type PrometheusCheck struct {
	// endpoint is the name of a MaintenanceEndpoint with prometheus. Required.
	Endpoint string `json:"endpoint"`
	// query is a query of PromQL, such as max(up{job="db"}). $(nodeName) stands for the name of the node: each
	// node is then a query of its own, which perMinute of the endpoint has to allow. At most 4,096 bytes.
	// Required.
	Query string `json:"query"`
	// expression is an expression of CEL with the variable value, the number, such as "value < 0.5". To count
	// with it, numbers need a point: "value + 1.0". At most 4,096 bytes. Required.
	Expression string `json:"expression"`
	// intervalSeconds is how long an answer is used before the server is asked again, more or less by a tenth.
	// It is asked only while the answer matters. After a failure it is asked again after 5 seconds, and then
	// less often, down to every 2 minutes. An answer that is older than two intervals and a minute counts no
	// more. From 5 to 86400. If not set, it is 30.
	// +optional
	IntervalSeconds *int64 `json:"intervalSeconds,omitempty"`
}

// HTTPCheck asks an HTTP server, with GET. If there is no answer, or its body is larger than 1 MiB, the check
// ends in an error. Redirects are not followed. The same path for several nodes is asked once for all.
type HTTPCheck struct {
	// endpoint is the name of a MaintenanceEndpoint with http or keystone. Required.
	Endpoint string `json:"endpoint"`
	// path is what is added to the URL of the endpoint, such as /ready?node=$(nodeName). It may have a query,
	// but not "..". $(nodeName) stands for the name of the node: each node is then a call of its own, which
	// perMinute of the endpoint has to allow. At most 2,048 bytes.
	// +optional
	Path string `json:"path,omitempty"`
	// expression is an expression of CEL with the variables response.status (a number, such as 200),
	// response.headers (a map of strings; their names are in lower case), response.body (a string),
	// response.json (the body as JSON; an error if it is none), and nodeCount, how many nodes the cluster had
	// when the answer came. Such as "response.status == 200 && response.json.size <= nodeCount". Whether all
	// nodes of the pools of a Kubernikus cluster are there says, with an endpoint with keystone and the path
	// /api/v1/clusters/<name>: "response.status == 200 && response.json.spec.nodePools.map(p, p.size).sum() <=
	// nodeCount". At most 4,096 bytes. Required.
	Expression string `json:"expression"`
	// intervalSeconds is how long an answer is used before the server is asked again, more or less by a tenth.
	// It is asked only while the answer matters. After a failure it is asked again after 5 seconds, and then
	// less often, down to every 2 minutes. An answer that is older than two intervals and a minute counts no
	// more. From 5 to 86400. If not set, it is 60.
	// +optional
	IntervalSeconds *int64 `json:"intervalSeconds,omitempty"`
}

// ApprovalCheck is True once people have approved: POST nodeprofiles/<name>/decision. Such as {approvers: 2}: two
// of them; a person counts once. An approval counts for the state in which it was given, until the state is left or
// the approval expires.
type ApprovalCheck struct {
	// approvers is how many people must approve, from 1 to 5. If not set, it is 1.
	// +optional
	Approvers *int32 `json:"approvers,omitempty"`
}
