// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// +genclient
// +genclient:nonNamespaced
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeMaintenance is one requestor's hold on one node: while it exists, the node is kept
// out of service. Creating it cordons and drains the node; deleting it gives the node
// back. Several holds may name the same node: the node is drained once and is given back
// with the last of them.
type NodeMaintenance struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec says which node is taken out of service, and how.
	// +optional
	Spec NodeMaintenanceSpec `json:"spec,omitempty"`
	// status says how far the maintenance has come and what keeps it from going on. It is
	// written by the server alone.
	// +optional
	Status NodeMaintenanceStatus `json:"status,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeMaintenanceList is a list of NodeMaintenances.
type NodeMaintenanceList struct {
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the NodeMaintenances.
	Items []NodeMaintenance `json:"items"`
}

// NodeMaintenanceSpec says which node is taken out of service, and how.
type NodeMaintenanceSpec struct {
	// nodeName is the name of the node to take out of service. A node that does not exist
	// yet is taken when it appears. Required; cannot be changed.
	NodeName string `json:"nodeName"`
	// reason says to other people why the node is in maintenance. At most 1,024 characters.
	// +optional
	Reason string `json:"reason,omitempty"`
	// requestor is the user who created this NodeMaintenance. The server sets it; a request
	// that names anybody else is refused.
	// +optional
	Requestor string `json:"requestor,omitempty"`
	// stage is how far the maintenance goes: Idle leaves the node alone, Cordon lets no new
	// pods onto it, Drain also evicts the pods that are there. It can be moved back and
	// forth: back to Cordon stops evicting, back to Idle makes the node schedulable again.
	// Of several holds on one node the highest stage counts. Default: Drain.
	// +optional
	Stage MaintenanceStage `json:"stage,omitempty"`
	// expirationSeconds is how long this NodeMaintenance lasts, counted from its creation:
	// then the server deletes it, as its requestor would, so that a forgotten one does not
	// keep the node for good. A warning event comes at 80 % of the time; setting a higher
	// number extends it. At least 1, at most 31536000 (365 days), and more than the age
	// that this NodeMaintenance has when it is set. Not set: it lasts until it is deleted.
	// +optional
	ExpirationSeconds *int64 `json:"expirationSeconds,omitempty"`
	// drain says which pods leave the node, and how.
	// +optional
	Drain DrainSpec `json:"drain,omitempty,omitzero"`
}

// MaintenanceStage is how far a maintenance goes. The words are those of KEP-4212.
// +enum
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
	// +optional
	PodSelector *metav1.LabelSelector `json:"podSelector,omitempty"`
	// gracePeriodSeconds is how long each pod gets to stop, instead of its own
	// terminationGracePeriodSeconds. At least 1, at most 2592000 (30 days). Where several
	// holds evict the same pod the longest counts. Setting it takes the verb force on
	// nodes/maintenance, since it overrules what pods ask for. Not set: each pod's own.
	// +optional
	GracePeriodSeconds *int64 `json:"gracePeriodSeconds,omitempty"`
	// timeoutSeconds is how long the drain may take, counted from when the node is cordoned
	// for it. onTimeout says what happens then. At least 1, at most 2592000 (30 days). Not
	// set: no limit.
	// +optional
	TimeoutSeconds *int64 `json:"timeoutSeconds,omitempty"`
	// onTimeout is what happens to the pods that are left past the deadline. Report reports
	// the drain as failed; evictions go on, and a node that empties after all has succeeded.
	// Delete also deletes them, whatever their disruption budgets say, those of later turns
	// and those that were to run to their end first included: each has its grace period, of
	// 1 second at least. This NodeMaintenance never deletes pods that its own unmanagedPods
	// or emptyDirPods block. Delete needs timeoutSeconds, and takes the verb force on
	// nodes/maintenance. Default: Report.
	// +optional
	OnTimeout TimeoutAction `json:"onTimeout,omitempty"`
	// unmanagedPods is what happens to pods that no controller owns, which nobody creates
	// again: Evict evicts them, Block leaves them, and the drain waits for somebody to
	// remove them. Default: Evict.
	// +optional
	UnmanagedPods EvictionPolicy `json:"unmanagedPods,omitempty"`
	// emptyDirPods is what happens to pods with emptyDir volumes, whose data are lost with
	// the pod: Evict evicts them, Block leaves them, and the drain waits for somebody to
	// remove them. Default: Evict.
	// +optional
	EmptyDirPods EvictionPolicy `json:"emptyDirPods,omitempty"`
	// rules treat some of the pods that podSelector picks in another way. The first rule
	// that matches a pod counts; a pod that none matches is evicted. The label
	// cluster.x-k8s.io/drain of a pod, with the value skip or wait-completed, comes before
	// any rule. At most 64.
	// +optional
	// +listType=atomic
	Rules []DrainRule `json:"rules,omitempty"`
}

// TimeoutAction is what a drain does with the pods that are left past its deadline.
// +enum
type TimeoutAction string

const (
	// OnTimeoutReport reports the drain as failed and goes on evicting.
	OnTimeoutReport TimeoutAction = "Report"
	// OnTimeoutDelete deletes what is left.
	OnTimeoutDelete TimeoutAction = "Delete"
)

// EvictionPolicy is what a drain does with pods that lose something by it.
// +enum
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
	// +optional
	PodSelector *metav1.LabelSelector `json:"podSelector,omitempty"`
	// namespaceSelector picks pods by the labels of their namespace; the label
	// kubernetes.io/metadata.name is its name. Not set: every namespace. With podSelector,
	// a pod must match both.
	// +optional
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`
	// action is what happens to the pods: Drain evicts them, Skip leaves them on the node,
	// WaitCompleted lets them run to their end first. Required.
	Action DrainAction `json:"action"`
	// order is the turn in which the pods are evicted: those of a lower order are gone
	// before the next one starts, and of one order, pods of a system-critical priority go
	// last. Pods that no rule matches are of order 0. Only with the action Drain. Default: 0.
	// +optional
	Order int32 `json:"order,omitempty"`
}

// DrainAction is what a rule does with the pods that it matches.
// +enum
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
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// phase sums the conditions up: Pending (nothing done yet: the node does not exist, or
	// the stage is Idle), Running, Succeeded (what the stage asks for is done), Failed (pods
	// are left past the deadline; evictions go on).
	// +optional
	Phase MaintenancePhase `json:"phase,omitempty"`
	// drainProgress is how much of the drain is done, from 0 to 100 percent. It never runs
	// backwards within one drain; pods that come to a drained node start the next one.
	// +optional
	DrainProgress int32 `json:"drainProgress"`
	// evictionPods is how many pods this drain moves in all, gone ones included.
	// +optional
	EvictionPods int32 `json:"evictionPods"`
	// totalPods is how many pods are on the node, with those that stay.
	// +optional
	TotalPods int32 `json:"totalPods"`
	// pendingPods are the pods still to leave, as namespace/name, sorted. At most 100 are
	// listed; pendingPodCount counts all.
	// +optional
	// +listType=atomic
	PendingPods []string `json:"pendingPods,omitempty"`
	// pendingPodCount is how many pods are still to leave.
	// +optional
	PendingPodCount int32 `json:"pendingPodCount"`
	// blockers say what keeps pods from leaving, sorted by pod. At most 20 are listed;
	// blockedPodCount counts all.
	// +optional
	// +listType=atomic
	Blockers []DrainBlocker `json:"blockers,omitempty"`
	// blockedPodCount is how many pods something keeps from leaving.
	// +optional
	BlockedPodCount int32 `json:"blockedPodCount,omitempty"`
	// lastError is the last thing that went wrong. It is cleared on success.
	// +optional
	LastError string `json:"lastError,omitempty"`
	// lastUpdate is when this status last changed.
	// +optional
	LastUpdate *metav1.Time `json:"lastUpdate,omitempty"`
	// startTime is when the drain of this hold began: the node was cordoned and the stage
	// was Drain. Leaving the stage Drain clears it.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// deadline is startTime plus spec.drain.timeoutSeconds. A restart of the server neither
	// extends nor restarts it.
	// +optional
	Deadline *metav1.Time `json:"deadline,omitempty"`
	// drainedTime is when the last pod that this hold selects had left.
	// +optional
	DrainedTime *metav1.Time `json:"drainedTime,omitempty"`
	// nodeUID is the UID of the node that this hold met. A new node of the same name is
	// cordoned and drained anew.
	// +optional
	NodeUID types.UID `json:"nodeUID,omitempty"`
	// nodeBefore is what the node was like before it was cordoned, written down first. Giving
	// the node back undoes only what was not there before.
	// +optional
	NodeBefore *NodeBefore `json:"nodeBefore,omitempty"`
	// plan is what a create with dryRun would do: with each pod of the node, in which order,
	// and what is in its way. Only the answer to such a create has it; it is never stored.
	// +optional
	Plan *DrainPlanStatus `json:"plan,omitempty"`
	// expirationTime is when this NodeMaintenance ends by itself: its creation plus
	// spec.expirationSeconds.
	// +optional
	ExpirationTime *metav1.Time `json:"expirationTime,omitempty"`
	// conditions are Cordoned, Drained, Blocked, VolumesDetached and, from 80 % of the time
	// that spec.expirationSeconds gives, Expiring.
	// +optional
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}

// MaintenancePhase sums up the state of a maintenance.
// +enum
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
	// +optional
	Unschedulable bool `json:"unschedulable"`
	// taints are those of the maintenance's taints that the node had already, as
	// key=value:effect; they stay.
	// +optional
	// +listType=atomic
	Taints []string `json:"taints,omitempty"`
	// labels are those of the maintenance's labels that the node had already, with the
	// values that they had; they are put back.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
}

// DrainBlocker says what keeps one pod from leaving the node.
type DrainBlocker struct {
	// pod is the pod that cannot leave, as namespace/name.
	Pod string `json:"pod"`
	// reason is the kind of obstacle.
	Reason BlockerReason `json:"reason"`
	// object is what stands in the way, as kind/namespace/name or kind/name: the disruption
	// budget, for one.
	// +optional
	Object string `json:"object,omitempty"`
	// permanent says that waiting alone will not help.
	// +optional
	Permanent bool `json:"permanent,omitempty"`
	// message says it in words and numbers, and what a person can do.
	// +optional
	Message string `json:"message,omitempty"`
}

// BlockerReason is the kind of obstacle that keeps a pod from leaving.
type BlockerReason string

const (
	// BlockerDisruptionBudget means that the pod's disruption budget has no room.
	BlockerDisruptionBudget BlockerReason = "DisruptionBudget"
	// BlockerMultipleDisruptionBudgets means that several disruption budgets select the pod, and the
	// eviction API refuses such pods for good.
	BlockerMultipleDisruptionBudgets BlockerReason = "MultipleDisruptionBudgets"
	// BlockerAdmissionWebhook means that an admission webhook refuses the eviction. KubeVirt does so
	// while it migrates a virtual machine.
	BlockerAdmissionWebhook BlockerReason = "AdmissionWebhook"
	// BlockerTerminating means that the pod was evicted and does not go: its grace period is over.
	BlockerTerminating BlockerReason = "Terminating"
	// BlockerNamespaceTerminating means that the pod's namespace is being deleted, and nothing can be
	// evicted in it.
	BlockerNamespaceTerminating BlockerReason = "NamespaceTerminating"
	// BlockerWaitingForCompletion means that a rule or the pod's own label lets the pod run to its end.
	BlockerWaitingForCompletion BlockerReason = "WaitingForCompletion"
	// BlockerUnmanagedPod means that no controller owns the pod, and spec.drain.unmanagedPods is Block.
	BlockerUnmanagedPod BlockerReason = "UnmanagedPod"
	// BlockerEmptyDirPod means that the pod has emptyDir volumes, and spec.drain.emptyDirPods is Block.
	BlockerEmptyDirPod BlockerReason = "EmptyDirPod"
	// BlockerOwnPod means that the pod is this server's own: nobody else would go on with the drain.
	BlockerOwnPod BlockerReason = "OwnPod"
	// BlockerEvictionFailed means that the eviction is refused or fails for another reason, which the
	// message quotes. It is tried again.
	BlockerEvictionFailed BlockerReason = "EvictionFailed"
)
