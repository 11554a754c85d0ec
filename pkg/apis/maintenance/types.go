// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeMaintenance is one requestor's hold on one node: while it exists, the node is kept
// out of service. Creating it cordons and drains the node; deleting it gives the node
// back. Several holds may name the same node: the node is drained once and is given back
// with the last of them.
type NodeMaintenance struct {
	metav1.TypeMeta
	// Standard object's metadata.
	metav1.ObjectMeta

	// spec says which node is taken out of service, and how.
	Spec NodeMaintenanceSpec
	// status says how far the maintenance has come and what keeps it from going on. It is
	// written by the server alone.
	Status NodeMaintenanceStatus
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeMaintenanceList is a list of NodeMaintenances.
type NodeMaintenanceList struct {
	metav1.TypeMeta
	// Standard list metadata.
	metav1.ListMeta

	// items are the NodeMaintenances.
	Items []NodeMaintenance
}

// NodeMaintenanceSpec says which node is taken out of service, and how.
type NodeMaintenanceSpec struct {
	// nodeName is the name of the node to take out of service. A node that does not exist
	// yet is taken when it appears. Required; cannot be changed.
	NodeName string
	// reason says to other people why the node is in maintenance. At most 1,024 characters.
	Reason string
	// requestor is the user who created this NodeMaintenance. The server sets it; a request
	// that names anybody else is refused.
	Requestor string
	// stage is how far the maintenance goes: Idle leaves the node alone, Cordon lets no new
	// pods onto it, Drain also evicts the pods that are there. It can be moved back and
	// forth: back to Cordon stops evicting, back to Idle makes the node schedulable again.
	// Of several holds on one node the highest stage counts. Default: Drain.
	Stage MaintenanceStage
	// expirationSeconds is how long this NodeMaintenance lasts, counted from its creation:
	// then the server deletes it, as its requestor would, so that a forgotten one does not
	// keep the node for good. A warning event comes at 80 % of the time; setting a higher
	// number extends it. At least 1, at most 31536000 (365 days), and more than the age
	// that this NodeMaintenance has when it is set. Not set: it lasts until it is deleted.
	ExpirationSeconds *int64
	// drain says which pods leave the node, and how.
	Drain DrainSpec
}

// MaintenanceStage is how far a maintenance goes. The words are those of KEP-4212.
type MaintenanceStage string

const (
	// StageIdle leaves the node alone.
	StageIdle MaintenanceStage = "Idle"
	// StageCordon lets no new pods onto the node.
	StageCordon MaintenanceStage = "Cordon"
	// StageDrain lets no new pods onto the node, and evicts those that are there.
	StageDrain MaintenanceStage = "Drain"
)

// DrainSpec says which pods leave the node, and how. Pods of a DaemonSet and static (mirror)
// pods always stay.
type DrainSpec struct {
	// podSelector narrows the drain to pods with these labels, in every namespace. Not set:
	// all pods.
	PodSelector *metav1.LabelSelector
	// gracePeriodSeconds is how long each pod gets to stop, instead of its own
	// terminationGracePeriodSeconds. At least 1, at most 2592000 (30 days). Where several
	// holds evict the same pod the longest counts. Setting it takes the verb force on
	// nodes/maintenance, since it overrules what pods ask for. Not set: each pod's own.
	GracePeriodSeconds *int64
	// timeoutSeconds is how long the drain may take, counted from when the node is cordoned
	// for it. onTimeout says what happens then. At least 1, at most 2592000 (30 days). Not
	// set: no limit.
	TimeoutSeconds *int64
	// onTimeout is what happens to the pods that are left past the deadline. Report reports
	// the drain as failed; evictions go on, and a node that empties after all has succeeded.
	// Delete also deletes them, whatever their disruption budgets say, those of later turns
	// and those that were to run to their end first included: each has its grace period, of
	// 1 second at least. This NodeMaintenance never deletes pods that its own unmanagedPods
	// or emptyDirPods block. Delete needs timeoutSeconds, and takes the verb force on
	// nodes/maintenance. Default: Report.
	OnTimeout TimeoutAction
	// unmanagedPods is what happens to pods that no controller owns, which nobody creates
	// again: Evict evicts them, Block leaves them, and the drain waits for somebody to
	// remove them. Default: Evict.
	UnmanagedPods EvictionPolicy
	// emptyDirPods is what happens to pods with emptyDir volumes, whose data are lost with
	// the pod: Evict evicts them, Block leaves them, and the drain waits for somebody to
	// remove them. Default: Evict.
	EmptyDirPods EvictionPolicy
	// rules treat some of the pods that podSelector picks in another way. The first rule
	// that matches a pod counts; a pod that none matches is evicted. The label
	// cluster.x-k8s.io/drain of a pod, with the value skip or wait-completed, comes before
	// any rule. At most 64.
	Rules []DrainRule
}

// TimeoutAction is what a drain does with the pods that are left past its deadline.
type TimeoutAction string

const (
	// OnTimeoutReport reports the drain as failed and goes on evicting.
	OnTimeoutReport TimeoutAction = "Report"
	// OnTimeoutDelete deletes what is left.
	OnTimeoutDelete TimeoutAction = "Delete"
)

// EvictionPolicy is what a drain does with pods that lose something by it.
type EvictionPolicy string

const (
	// PolicyEvict evicts them all the same.
	PolicyEvict EvictionPolicy = "Evict"
	// PolicyBlock leaves them, and the drain waits for somebody to remove them.
	PolicyBlock EvictionPolicy = "Block"
)

// DrainRule says how some of the pods of a node are drained.
type DrainRule struct {
	// podSelector picks pods by their labels. Not set: every pod.
	PodSelector *metav1.LabelSelector
	// namespaceSelector picks pods by the labels of their namespace; the label
	// kubernetes.io/metadata.name is its name. Not set: every namespace. With podSelector,
	// a pod must match both.
	NamespaceSelector *metav1.LabelSelector
	// action is what happens to the pods: Drain evicts them, Skip leaves them on the node,
	// WaitCompleted lets them run to their end first. Required.
	Action DrainAction
	// order is the turn in which the pods are evicted: those of a lower order are gone
	// before the next one starts, and of one order, pods of a system-critical priority go
	// last. Pods that no rule matches are of order 0. Only with the action Drain. Default: 0.
	Order int32
}

// DrainAction is what a rule does with the pods that it matches.
type DrainAction string

const (
	// ActionDrain evicts the pods.
	ActionDrain DrainAction = "Drain"
	// ActionSkip leaves the pods on the node.
	ActionSkip DrainAction = "Skip"
	// ActionWaitCompleted lets the pods run to their end, and then removes them.
	ActionWaitCompleted DrainAction = "WaitCompleted"
)

// NodeMaintenanceStatus says how far a maintenance has come.
type NodeMaintenanceStatus struct {
	// observedGeneration is the metadata.generation that this status speaks of.
	ObservedGeneration int64
	// phase sums the conditions up: Pending (nothing done yet: the node does not exist, or
	// the stage is Idle), Running, Succeeded (what the stage asks for is done), Failed (pods
	// are left past the deadline; evictions go on).
	Phase MaintenancePhase
	// drainProgress is how much of the drain is done, from 0 to 100 percent. It never runs
	// backwards within one drain; pods that come to a drained node start the next one.
	DrainProgress int32
	// evictionPods is how many pods this drain moves in all, gone ones included.
	EvictionPods int32
	// totalPods is how many pods are on the node, with those that stay.
	TotalPods int32
	// pendingPods are the pods still to leave, as namespace/name, sorted. At most 100 are
	// listed; pendingPodCount counts all.
	PendingPods []string
	// pendingPodCount is how many pods are still to leave.
	PendingPodCount int32
	// blockers say what keeps pods from leaving, sorted by pod. At most 20 are listed;
	// blockedPodCount counts all.
	Blockers []DrainBlocker
	// blockedPodCount is how many pods something keeps from leaving.
	BlockedPodCount int32
	// lastError is the last thing that went wrong. It is cleared on success.
	LastError string
	// lastUpdate is when this status last changed.
	LastUpdate *metav1.Time
	// startTime is when the drain of this hold began: the node was cordoned and the stage
	// was Drain. Leaving the stage Drain clears it.
	StartTime *metav1.Time
	// deadline is startTime plus spec.drain.timeoutSeconds. A restart of the server neither
	// extends nor restarts it.
	Deadline *metav1.Time
	// drainedTime is when the last pod that this hold selects had left.
	DrainedTime *metav1.Time
	// nodeUID is the UID of the node that this hold met. A new node of the same name is
	// cordoned and drained anew.
	NodeUID types.UID
	// nodeBefore is what the node was like before it was cordoned, written down first. Giving
	// the node back undoes only what was not there before.
	NodeBefore *NodeBefore
	// plan is what a create with dryRun would do: with each pod of the node, in which order,
	// and what is in its way. Only the answer to such a create has it; it is never stored.
	Plan *DrainPlanStatus
	// expirationTime is when this NodeMaintenance ends by itself: its creation plus
	// spec.expirationSeconds.
	ExpirationTime *metav1.Time
	// conditions are Cordoned, Drained, Blocked, VolumesDetached and, from 80 % of the time
	// that spec.expirationSeconds gives, Expiring.
	Conditions []metav1.Condition
}

// MaintenancePhase sums up the state of a maintenance.
type MaintenancePhase string

const (
	// PhasePending means that nothing has been done yet.
	PhasePending MaintenancePhase = "Pending"
	// PhaseRunning means that the node is being cordoned or drained.
	PhaseRunning MaintenancePhase = "Running"
	// PhaseSucceeded means that what the stage asks for is done.
	PhaseSucceeded MaintenancePhase = "Succeeded"
	// PhaseFailed means that pods are left past the deadline.
	PhaseFailed MaintenancePhase = "Failed"
)

// NodeBefore is what a node was like before its maintenance, as far as maintenance changes it.
type NodeBefore struct {
	// unschedulable says that the node was cordoned already; then it stays so.
	Unschedulable bool
	// taints are those of the maintenance's taints that the node had already, as
	// key=value:effect; they stay.
	Taints []string
	// labels are those of the maintenance's labels that the node had already, with the
	// values that they had; they are put back.
	Labels map[string]string
}

// DrainBlocker says what keeps one pod from leaving the node.
type DrainBlocker struct {
	// pod is the pod that cannot leave, as namespace/name.
	Pod string
	// reason is the kind of obstacle.
	Reason BlockerReason
	// object is what stands in the way, as kind/namespace/name or kind/name: the disruption
	// budget, for one.
	Object string
	// permanent says that waiting alone will not help.
	Permanent bool
	// message says it in words and numbers, and what a person can do.
	Message string
}

// BlockerReason is the kind of obstacle that keeps a pod from leaving.
type BlockerReason string
