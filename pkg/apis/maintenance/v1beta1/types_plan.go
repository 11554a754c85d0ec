// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// DrainPlan is what a drain of one node would do now with each of its pods: GET
// nodes/<name>/drainplan. The request changes nothing, and stores nothing.
type DrainPlan struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata. The name is the node's.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the planned drain, from the parameters of the request or the NodeMaintenance that they
	// name. The plan also includes the
	// drains of the NodeMaintenances that the node already has.
	// +optional
	Spec DrainSpec `json:"spec,omitempty,omitzero"`
	// status is the plan.
	// +optional
	Status DrainPlanStatus `json:"status,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// DrainPlanOptions are the query parameters of GET nodes/<name>/drainplan. Except for hold, they mean
// the same as the fields of spec.drain. There is no parameter for rules: to see the plan of a drain
// with rules, name a NodeMaintenance that has them, or create one with dryRun=All and read its
// status.plan.
type DrainPlanOptions struct {
	metav1.TypeMeta `json:",inline"`

	// hold is the name of a NodeMaintenance of this node: its drain is planned, as if its stage were
	// Drain. It cannot be combined with other parameters. It requires the permission to get
	// nodes/maintenance of this node.
	// +optional
	Hold string `json:"hold,omitempty"`
	// podSelector limits the drain to the pods that it matches, for example app=web,tier!=db. If
	// not set, all pods are drained.
	// +optional
	PodSelector string `json:"podSelector,omitempty"`
	// gracePeriodSeconds is the grace period of each pod. If not set, each pod has its own
	// grace period.
	// +optional
	GracePeriodSeconds *int64 `json:"gracePeriodSeconds,omitempty"`
	// unmanagedPods is Evict (the default) or Block.
	// +optional
	UnmanagedPods string `json:"unmanagedPods,omitempty"`
	// emptyDirPods is Evict (the default) or Block.
	// +optional
	EmptyDirPods string `json:"emptyDirPods,omitempty"`
}

// DrainPlanStatus is what a drain of a node would do now.
type DrainPlanStatus struct {
	// admission says whether the maintenance would start now, and if not, why and when. Not set if no
	// MaintenancePolicy selects the node.
	// +optional
	Admission *AdmissionForecast `json:"admission,omitempty"`
	// evictionPods is the number of pods that are to leave the node.
	EvictionPods int32 `json:"evictionPods"`
	// stayingPods is the number of pods that stay on the node.
	// +optional
	StayingPods int32 `json:"stayingPods"`
	// drainablePods is the number of pods that a drain of all pods would evict: all but static pods
	// and pods of DaemonSets.
	// +optional
	DrainablePods int32 `json:"drainablePods"`
	// skippedPods is how many of drainablePods this drain leaves on the node: podSelector does not
	// match them, or a rule or their label skips them. Another NodeMaintenance may evict them.
	// +optional
	SkippedPods int32 `json:"skippedPods"`
	// blockedPodCount is the number of pods that are to leave the node, but cannot leave it now.
	// +optional
	BlockedPodCount int32 `json:"blockedPodCount"`
	// permanentlyBlockedPodCount is the number of blocked pods for which waiting does not help.
	// +optional
	PermanentlyBlockedPodCount int32 `json:"permanentlyBlockedPodCount"`
	// permanentlyBlockedPods are the pods that this NodeMaintenance drains and that cannot leave the
	// node, however long one waits, as namespace/name. Those that it deletes after its deadline are not
	// among them.
	// +optional
	// +listType=atomic
	PermanentlyBlockedPods []string `json:"permanentlyBlockedPods,omitempty"`
	// unmanagedPods are the pods to be evicted that no controller owns, so that they are
	// not recreated, as namespace/name.
	// +optional
	// +listType=atomic
	UnmanagedPods []string `json:"unmanagedPods,omitempty"`
	// emptyDirPods are the pods to be evicted that lose the data of their emptyDir volumes,
	// as namespace/name.
	// +optional
	// +listType=atomic
	EmptyDirPods []string `json:"emptyDirPods,omitempty"`
	// doNotDisruptPods are the pods to be evicted whose annotation karpenter.sh/do-not-disrupt is true,
	// or whose annotation cluster-autoscaler.kubernetes.io/safe-to-evict is false, as namespace/name. A
	// rule with podAnnotations decides what happens to such pods; a pod that one evicts is not listed.
	// +optional
	// +listType=atomic
	DoNotDisruptPods []string `json:"doNotDisruptPods,omitempty"`
	// mislabeledPods are the pods to be evicted whose label cluster.x-k8s.io/drain has a value that means
	// nothing, as namespace/name.
	// +optional
	// +listType=atomic
	MislabeledPods []string `json:"mislabeledPods,omitempty"`
	// returningPods are the pods to be evicted whose controller will put them back on the node, as
	// namespace/name: they are bound to this node, and its cordon does not keep them away. The message
	// of the pod says why.
	// +optional
	// +listType=atomic
	ReturningPods []string `json:"returningPods,omitempty"`
	// unschedulablePods are the pods to be evicted that no other node can run, as namespace/name: a
	// volume of theirs is only on this node, or they select it. They are Pending until the node is back in
	// service. The message of the pod says why.
	// +optional
	// +listType=atomic
	UnschedulablePods []string `json:"unschedulablePods,omitempty"`
	// pods are all pods of the node, in the order in which they are to leave it. Those that stay
	// come last.
	// +optional
	// +listType=atomic
	Pods []PlannedPod `json:"pods,omitempty"`
}

// PlannedPod is what a drain would do with one pod.
type PlannedPod struct {
	// pod is the pod, as namespace/name.
	Pod string `json:"pod"`
	// action is what happens to the pod: Evict, WaitCompleted (it runs to completion first),
	// Terminating (it is terminating already), Delete (it is deleted after the deadline, regardless
	// of its disruption budgets), Block (it is to leave, but a person must remove it), Stay.
	Action PlannedAction `json:"action"`
	// turn is when the pod is evicted. Turn 1 is the first. Each turn begins when the pods of the
	// turn before are gone. Set only for pods to be evicted.
	// +optional
	Turn int32 `json:"turn,omitempty"`
	// gracePeriodSeconds is the grace period of the pod. Set only for pods to be evicted or
	// deleted.
	// +optional
	GracePeriodSeconds *int64 `json:"gracePeriodSeconds,omitempty"`
	// message is why the pod has this action, and what its eviction loses or overrides.
	// +optional
	Message string `json:"message,omitempty"`
	// blocker is what keeps the pod from leaving the node now. Pods of one disruption
	// budget count together: if it selects three pods and allows one disruption, two of
	// them are blocked.
	// +optional
	Blocker *DrainBlocker `json:"blocker,omitempty"`
	// budgets are the disruption budgets that select the pod, with their numbers. Set only for pods
	// to be evicted.
	// +optional
	// +listType=atomic
	Budgets []PlannedBudget `json:"budgets,omitempty"`
	// evictingHolds are the NodeMaintenances that evict the pod although those in blockingHolds block it.
	// Block protects pods only from the NodeMaintenance that says it. A planned drain that is no
	// NodeMaintenance is not listed. Set only where NodeMaintenances disagree.
	// +optional
	// +listType=atomic
	EvictingHolds []PlannedHold `json:"evictingHolds,omitempty"`
	// blockingHolds are the NodeMaintenances whose unmanagedPods or emptyDirPods is Block for the pod,
	// although it is evicted. Set only where NodeMaintenances disagree.
	// +optional
	// +listType=atomic
	BlockingHolds []PlannedHold `json:"blockingHolds,omitempty"`
}

// PlannedHold is a NodeMaintenance that takes part in a plan.
type PlannedHold struct {
	// name is the name of the NodeMaintenance.
	Name string `json:"name"`
	// requestor is the user who created the NodeMaintenance.
	// +optional
	Requestor string `json:"requestor,omitempty"`
}

// PlannedBudget is a disruption budget with the numbers of its status.
type PlannedBudget struct {
	// name is the disruption budget, as namespace/name.
	Name string `json:"name"`
	// disruptionsAllowed is the number of its pods that may be evicted now.
	DisruptionsAllowed int32 `json:"disruptionsAllowed"`
	// currentHealthy is the number of its pods that are ready.
	CurrentHealthy int32 `json:"currentHealthy"`
	// desiredHealthy is the number of its pods that must stay ready.
	DesiredHealthy int32 `json:"desiredHealthy"`
	// expectedPods is the number of pods that it counts.
	ExpectedPods int32 `json:"expectedPods"`
}

// PlannedAction is what a drain would do with a pod.
// +enum
type PlannedAction string

const (
	// PlanEvict means that the pod is to be evicted.
	PlanEvict PlannedAction = "Evict"
	// PlanWaitCompleted means that the pod runs to completion first.
	PlanWaitCompleted PlannedAction = "WaitCompleted"
	// PlanTerminating means that the pod is terminating already.
	PlanTerminating PlannedAction = "Terminating"
	// PlanDelete means that the deadline is over and the pod is deleted.
	PlanDelete PlannedAction = "Delete"
	// PlanBlock means that the pod is to leave the node, but a person must remove it.
	PlanBlock PlannedAction = "Block"
	// PlanStay means that the pod stays on the node.
	PlanStay PlannedAction = "Stay"
)
