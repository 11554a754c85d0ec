// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// +genclient
// +genclient:nonNamespaced
// +genclient:method=CreateApproval,verb=create,subresource=approval,input=MaintenanceApproval,result=MaintenanceApproval
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeMaintenance keeps one node out of service while it exists. Creating it cordons and
// drains the node. Deleting it gives the node back: it makes the node what it was before. A
// NodeMaintenance is also called a hold of its requestor on the node. Several holds may
// name the same node. The node is then drained once, and given back when the last hold is
// deleted.
type NodeMaintenance struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired maintenance: which node is taken out of service, and how.
	// +optional
	Spec NodeMaintenanceSpec `json:"spec,omitempty"`
	// status is the progress of the maintenance, and what blocks it. Only the server writes
	// it.
	// +optional
	Status NodeMaintenanceStatus `json:"status,omitempty"`

	// Unknown is what a newer version of the server has stored in this object. It is neither served nor
	// read from clients.
	Unknown UnknownFields `json:"-"`
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
	// nodeName is the name of the node to take out of service. If no such node exists, the
	// maintenance starts when the node appears. Required. Immutable.
	NodeName string `json:"nodeName"`
	// reason is why the node is in maintenance, for other people to read. At most 1,024 characters on one
	// line, without control characters and invisible ones.
	// +optional
	Reason string `json:"reason,omitempty"`
	// requestor is the user who created this NodeMaintenance. The server sets it, and refuses a
	// request that names another user.
	// +optional
	Requestor string `json:"requestor,omitempty"`
	// stage is how far the maintenance goes. Idle does nothing to the node. Cordon cordons it.
	// Drain also evicts its pods. The stage can be changed at any time, in both directions: back to
	// Cordon stops the evictions, back to Idle gives the node back. If several holds name the node,
	// the highest stage applies. Defaults to Drain.
	// +optional
	Stage MaintenanceStage `json:"stage,omitempty"`
	// expirationSeconds is how long after its start the server deletes this NodeMaintenance, so that a
	// forgotten one does not hold the node forever. The start is its creation, or, if it had to wait for a
	// MaintenancePolicy or spec.notBefore, when it was admitted. A warning event is sent after 80 % of
	// that time. A higher value extends it. Must be from 1 to 31536000 (365 days), and more than
	// the time since the start. If not set, it does not expire.
	// +optional
	ExpirationSeconds *int64 `json:"expirationSeconds,omitempty"`
	// drain configures which pods are drained, and how.
	// +optional
	Drain DrainSpec `json:"drain,omitempty,omitzero"`
	// overrideQuorum takes a node of the control plane out of service even if too few of its members
	// stay in service. Setting it requires the verb overridequorum on nodes/maintenance. It changes
	// nothing for other nodes. Defaults to false.
	// +optional
	OverrideQuorum bool `json:"overrideQuorum,omitempty"`
	// priority is which of the NodeMaintenances that wait for a MaintenancePolicy start first: those with a
	// higher one. From -100 to 100. More than 0 requires the verb prioritize on nodes/maintenance. Defaults
	// to 0.
	// +optional
	Priority int32 `json:"priority,omitempty"`
	// notBefore is when the maintenance may start at the earliest. If not set, it may start at once.
	// +optional
	NotBefore *metav1.Time `json:"notBefore,omitempty"`
	// startDeadline is when the maintenance should have started. Of those that wait for a
	// MaintenancePolicy with the same priority, the ones whose deadline is over or within 24 hours start
	// first, the earliest deadline before the others. If it passes, a warning event is sent, and the
	// maintenance goes on waiting. A new value must be in the future, and after notBefore.
	// +optional
	StartDeadline *metav1.Time `json:"startDeadline,omitempty"`
	// bypassPolicies starts the maintenance, and gives the node back, without waiting for any
	// MaintenancePolicy. The node still counts for their limits. Setting it requires a reason, and the verb
	// bypass on nodes/maintenance. It cannot be unset. Defaults to false.
	// +optional
	BypassPolicies bool `json:"bypassPolicies,omitempty"`
}

// MaintenanceStage is how far a maintenance goes. The names are those of KEP-4212
// (Declarative Node Maintenance).
// +enum
type MaintenanceStage string

const (
	// StageIdle does nothing to the node.
	StageIdle MaintenanceStage = "Idle"
	// StageCordon cordons the node: no new pods are scheduled to it.
	StageCordon MaintenanceStage = "Cordon"
	// StageDrain cordons the node and evicts its pods.
	StageDrain MaintenanceStage = "Drain"
)

// DrainSpec configures which pods are drained, and how. Pods of a DaemonSet and static (mirror)
// pods always stay on the node.
type DrainSpec struct {
	// podSelector limits the drain to the pods that it matches, in all namespaces. If not set, all
	// pods are drained.
	// +optional
	PodSelector *metav1.LabelSelector `json:"podSelector,omitempty"`
	// gracePeriodSeconds is the grace period of each pod. It overrides the pod's own
	// terminationGracePeriodSeconds, so setting it requires the verb force on
	// nodes/maintenance. If several holds evict the same pod, the longest grace period
	// applies. Must be from 1 to 2592000 (30 days). If not set, each pod has its own grace
	// period.
	// +optional
	GracePeriodSeconds *int64 `json:"gracePeriodSeconds,omitempty"`
	// timeoutSeconds is how long the drain may take, counted from when the node is cordoned for it.
	// onTimeout is what happens after that. Must be from 1 to 2592000 (30 days). If not set, the
	// drain has no deadline.
	// +optional
	TimeoutSeconds *int64 `json:"timeoutSeconds,omitempty"`
	// onTimeout is what happens to the pods that are still on the node after the deadline. Report
	// sets the phase to Failed. Evictions continue, and if the node is drained later, the phase
	// becomes Succeeded. Delete does the same, and also deletes the pods, regardless of their
	// disruption budgets, their order, and the action WaitCompleted. Each pod has its grace period,
	// but at least 1 second. A pod that a kubelet has not stopped for as long again after that, and for
	// 30 seconds at least, is removed although it may still run; not while the node does not report, and
	// not the pod of a virtual machine. This NodeMaintenance never deletes pods that its own
	// unmanagedPods or emptyDirPods block. Delete requires timeoutSeconds, and the verb force on
	// nodes/maintenance. Defaults to Report.
	// +optional
	OnTimeout TimeoutAction `json:"onTimeout,omitempty"`
	// unmanagedPods is what happens to pods that no controller owns. Once evicted, they are
	// not recreated. Evict evicts them. Block leaves them on the node, and the drain waits
	// until somebody removes them. Defaults to Evict.
	// +optional
	UnmanagedPods EvictionPolicy `json:"unmanagedPods,omitempty"`
	// emptyDirPods is what happens to pods with emptyDir volumes. Once evicted, they lose the data
	// of these volumes. Evict evicts them. Block leaves them on the node, and the drain waits until
	// somebody removes them. Defaults to Evict.
	// +optional
	EmptyDirPods EvictionPolicy `json:"emptyDirPods,omitempty"`
	// rules say how some of the pods that podSelector matches are drained. The first rule that
	// matches a pod applies. A pod that no rule matches is evicted. The label
	// cluster.x-k8s.io/drain of a pod, with the value skip or wait-completed, takes precedence over
	// all rules. At most 64.
	// +optional
	// +listType=atomic
	Rules []DrainRule `json:"rules,omitempty"`
}

// TimeoutAction is what a drain does with the pods that are still on the node after its deadline.
// +enum
type TimeoutAction string

const (
	// OnTimeoutReport sets the phase to Failed and continues to evict the pods.
	OnTimeoutReport TimeoutAction = "Report"
	// OnTimeoutDelete deletes the pods.
	OnTimeoutDelete TimeoutAction = "Delete"
)

// EvictionPolicy is what a drain does with pods that are not recreated or lose data once evicted.
// +enum
type EvictionPolicy string

const (
	// PolicyEvict evicts them like other pods.
	PolicyEvict EvictionPolicy = "Evict"
	// PolicyBlock leaves them on the node, and the drain waits until somebody removes them.
	PolicyBlock EvictionPolicy = "Block"
)

// DrainRule says how some of the pods of a node are drained.
type DrainRule struct {
	// podSelector selects pods by their labels. If not set, it matches every pod.
	// +optional
	PodSelector *metav1.LabelSelector `json:"podSelector,omitempty"`
	// namespaceSelector selects pods by the labels of their namespace. Every namespace has its name
	// in the label kubernetes.io/metadata.name. If not set, it matches every namespace. A pod must
	// match podSelector, namespaceSelector and podAnnotations.
	// +optional
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`
	// podAnnotations selects pods by their annotations: the pod must have each of them with this value.
	// An empty value stands for any value. For example, karpenter.sh/do-not-disrupt: "true" with the
	// action Skip leaves pods on the node that ask Karpenter for that. A value has at most 256 bytes. If
	// not set, it matches every pod.
	// +optional
	PodAnnotations map[string]string `json:"podAnnotations,omitempty"`
	// action is what happens to the pods. Drain evicts them. Skip leaves them on the node.
	// WaitCompleted waits until they have run to completion, and then removes them. Required.
	Action DrainAction `json:"action"`
	// order is when the pods are evicted. Pods of a lower order must be gone from the node before
	// pods of a higher order are evicted. Among pods of the same order, those with a
	// system-critical priority are evicted last. Pods that no rule matches have the order 0. May be
	// set only with the action Drain. Defaults to 0.
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
	// ActionWaitCompleted waits until the pods have run to completion, and then removes them.
	ActionWaitCompleted DrainAction = "WaitCompleted"
)

// NodeMaintenanceStatus is the progress of a maintenance.
type NodeMaintenanceStatus struct {
	// observedGeneration is the metadata.generation that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// phase summarizes the conditions: Pending (nothing is done: the node does not exist, the stage
	// is Idle, or the node was given back and only other finalizers keep this object), Running (the
	// node is being cordoned or drained), Succeeded (what the stage and spec.drain ask for is done),
	// Failed (pods are still on the node after the deadline, and evictions continue; or the lease of
	// the node was lost, and nothing is evicted until it is free). Succeeded does not say that the
	// node is empty: with the stage Cordon, no pod was evicted. The condition Drained with the reason
	// NodeEmpty says that. kubectl get shows Cordoned for a Succeeded stage Cordon, and
	// PartiallyDrained if spec.drain leaves pods on the node.
	// +optional
	Phase MaintenancePhase `json:"phase,omitempty"`
	// drainProgress is how much of the drain is done, from 0 to 100 percent. It never decreases
	// within one drain. Pods that come to a drained node start a new drain. Not set if spec.stage is
	// not Drain.
	// +optional
	DrainProgress *int32 `json:"drainProgress,omitempty"`
	// evictionPods is the number of pods that this drain removes, including those that are
	// gone already.
	// +optional
	EvictionPods int32 `json:"evictionPods"`
	// totalPods is how many pods were on the node when this drain began, with those that stay. It
	// grows if more come than leave.
	// +optional
	TotalPods int32 `json:"totalPods"`
	// pendingPods are the pods that have yet to leave the node, as namespace/name, sorted.
	// At most 100 are listed; pendingPodCount counts all.
	// +optional
	// +listType=atomic
	PendingPods []string `json:"pendingPods,omitempty"`
	// pendingPodCount is the number of pods that have yet to leave the node.
	// +optional
	PendingPodCount int32 `json:"pendingPodCount"`
	// blockers are what keeps pods from leaving the node, sorted by pod. At most 20 are
	// listed; blockedPodCount counts all.
	// +optional
	// +listType=atomic
	Blockers []DrainBlocker `json:"blockers,omitempty"`
	// blockedPodCount is the number of pods that cannot leave the node now.
	// +optional
	BlockedPodCount int32 `json:"blockedPodCount"`
	// skippedPodCount is the number of pods on the node that a drain of all pods would evict, but this
	// one leaves there: podSelector does not match them, or a rule or their label skips them. Pods that
	// have run to completion do not count, nor do those of a Job that a MaintenanceProfile runs on the
	// node of its NodeMaintenance. If it is not 0, the node is not empty, although Drained may be True.
	// +optional
	SkippedPodCount int32 `json:"skippedPodCount"`
	// lastError is the most recent error. It is cleared on success.
	// +optional
	LastError string `json:"lastError,omitempty"`
	// leaseErrorCount is how many times in a row the lease of the node, which the server had for this
	// maintenance, could not be kept. With more than 3 the phase is Failed, until the lease is free again.
	// Always 0 if the server takes no leases of nodes.
	// +optional
	LeaseErrorCount int32 `json:"leaseErrorCount,omitempty"`
	// lastUpdate is when this status last changed.
	// +optional
	LastUpdate *metav1.Time `json:"lastUpdate,omitempty"`
	// startTime is when the drain of this hold began, that is, when the node was cordoned
	// and the stage was Drain. It is cleared when the stage changes to another one.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// deadline is startTime plus spec.drain.timeoutSeconds. A restart of the server does not change
	// it.
	// +optional
	Deadline *metav1.Time `json:"deadline,omitempty"`
	// drainedTime is when the last pod that this hold selects had left the node.
	// +optional
	DrainedTime *metav1.Time `json:"drainedTime,omitempty"`
	// nodeUID is the UID of the node that this hold was applied to. If a new node gets the
	// same name, the new node is cordoned and drained too.
	// +optional
	NodeUID types.UID `json:"nodeUID,omitempty"`
	// nodeBefore is the state of the node before it was cordoned. It is stored before the node is
	// changed. When the node is given back, what was there before stays.
	// +optional
	NodeBefore *NodeBefore `json:"nodeBefore,omitempty"`
	// admission is what the MaintenancePolicies of the node say of this maintenance. Not set if none
	// selects the node and spec.notBefore is not set.
	// +optional
	Admission *MaintenanceAdmission `json:"admission,omitempty"`
	// plan is what the drain would do with each pod of the node, in which order, and what blocks
	// it. Only the answer to a write with dryRun=All has a plan. It is never stored.
	// +optional
	Plan *DrainPlanStatus `json:"plan,omitempty"`
	// expirationTime is when the server deletes this NodeMaintenance: its creation time
	// plus spec.expirationSeconds, or status.admission.admittedTime plus
	// spec.expirationSeconds if it had to wait. Not set while it waits.
	// +optional
	ExpirationTime *metav1.Time `json:"expirationTime,omitempty"`
	// conditions are Cordoned, Drained, Blocked, VolumesDetached, once 80 % of spec.expirationSeconds is
	// over, Expiring, if status.admission is set, Admitted, and, while something keeps the node from being
	// given back, Released.
	// +optional
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}

// MaintenancePhase summarizes the state of a maintenance.
// +enum
type MaintenancePhase string

const (
	// PhasePending means that nothing has been done yet.
	PhasePending MaintenancePhase = "Pending"
	// PhaseRunning means that the node is being cordoned or drained.
	PhaseRunning MaintenancePhase = "Running"
	// PhaseSucceeded means that what the stage and spec.drain ask for is done. Pods may be left on the
	// node.
	PhaseSucceeded MaintenancePhase = "Succeeded"
	// PhaseFailed means that pods are still on the node after the deadline, or that the lease of the node
	// was lost.
	PhaseFailed MaintenancePhase = "Failed"
)

// NodeBefore is the state of a node before its maintenance. It has only what maintenance changes.
type NodeBefore struct {
	// unschedulable is true if the node was already cordoned. It then stays cordoned.
	// +optional
	Unschedulable bool `json:"unschedulable"`
	// taints are those of the maintenance's taints that the node already had, as
	// key=value:effect. They stay on the node.
	// +optional
	// +listType=atomic
	Taints []string `json:"taints,omitempty"`
	// addedTaints are those of the maintenance's taints that the node did not have, as
	// key=value:effect. They are removed when the node is given back, even if the server no
	// longer sets them by then.
	// +optional
	// +listType=atomic
	AddedTaints []string `json:"addedTaints,omitempty"`
	// labels are those of the maintenance's labels that the node already had, with the
	// values that they had. They get these values again.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
}

// DrainBlocker is what keeps one pod from leaving the node.
type DrainBlocker struct {
	// pod is the pod that cannot leave, as namespace/name.
	Pod string `json:"pod"`
	// reason is the kind of blocker.
	Reason BlockerReason `json:"reason"`
	// object is the object that blocks the pod, such as a disruption budget, as kind/namespace/name
	// or kind/name.
	// +optional
	Object string `json:"object,omitempty"`
	// permanent is true if waiting does not help: somebody must do something about it.
	// +optional
	Permanent bool `json:"permanent,omitempty"`
	// message describes the blocker, and what a person can do about it.
	// +optional
	Message string `json:"message,omitempty"`
}

// BlockerReason is the kind of blocker that keeps a pod from leaving the node.
type BlockerReason string

const (
	// BlockerDisruptionBudget means that the pod's disruption budget allows no disruption now.
	BlockerDisruptionBudget BlockerReason = "DisruptionBudget"
	// BlockerMultipleDisruptionBudgets means that several disruption budgets select the pod. The
	// eviction API never evicts such a pod.
	BlockerMultipleDisruptionBudgets BlockerReason = "MultipleDisruptionBudgets"
	// BlockerAdmissionWebhook means that an admission webhook refuses the eviction. KubeVirt's
	// webhook does so while a virtual machine is migrated.
	BlockerAdmissionWebhook BlockerReason = "AdmissionWebhook"
	// BlockerTerminating means that the pod is terminating, and still there after its grace period.
	BlockerTerminating BlockerReason = "Terminating"
	// BlockerNamespaceTerminating means that the pod's namespace is being deleted, and nothing can be
	// evicted in it.
	BlockerNamespaceTerminating BlockerReason = "NamespaceTerminating"
	// BlockerWaitingForCompletion means that a rule or the pod's own label lets the pod run to
	// completion.
	BlockerWaitingForCompletion BlockerReason = "WaitingForCompletion"
	// BlockerUnmanagedPod means that no controller owns the pod, and spec.drain.unmanagedPods is Block.
	BlockerUnmanagedPod BlockerReason = "UnmanagedPod"
	// BlockerEmptyDirPod means that the pod has emptyDir volumes, and spec.drain.emptyDirPods is Block.
	BlockerEmptyDirPod BlockerReason = "EmptyDirPod"
	// BlockerPodsReturn means that the pod's controller puts its pods back on the cordoned node each time
	// that they are evicted. The message says why they land there, and when the next one is evicted.
	BlockerPodsReturn BlockerReason = "PodsReturn"
	// BlockerVirtualMachineMigrating means that KubeVirt migrates the virtual machine of the pod to another
	// node, or that its migration waits until others have ended. The pod leaves when the migration ends.
	BlockerVirtualMachineMigrating BlockerReason = "VirtualMachineMigrating"
	// BlockerVirtualMachineNotMigratable means that the virtual machine of the pod cannot be migrated. It
	// has to be shut down, or made migratable.
	BlockerVirtualMachineNotMigratable BlockerReason = "VirtualMachineNotMigratable"
	// BlockerOwnPod means that the pod runs this server, and that no other pod that runs it is ready and
	// would continue the drain.
	BlockerOwnPod BlockerReason = "OwnPod"
	// BlockerEvictionFailed means that the eviction is refused or fails for another reason, which
	// the message quotes. It is retried.
	BlockerEvictionFailed BlockerReason = "EvictionFailed"
)
