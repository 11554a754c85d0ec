// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// DrainPlan says what a drain of one node would do with each of its pods, as things are now:
// GET nodes/<name>/drainplan. Nothing is changed by asking, and nothing is stored.
type DrainPlan struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata. The name is the node's.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the drain that was planned for, from the parameters of the request. The plan
	// also counts in the NodeMaintenances that the node has already.
	// +optional
	Spec DrainSpec `json:"spec,omitempty,omitzero"`
	// status is the plan.
	// +optional
	Status DrainPlanStatus `json:"status,omitempty"`
}

// +k8s:conversion-gen:explicit-from=net/url.Values
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// DrainPlanOptions are the query parameters of GET nodes/<name>/drainplan. They mean what the
// fields of spec.drain mean. Rules have no parameter: create a NodeMaintenance with dryRun=All to
// see the plan of a drain with rules, in status.plan.
type DrainPlanOptions struct {
	metav1.TypeMeta `json:",inline"`

	// podSelector narrows the drain to pods with these labels, as in app=web,tier!=db. Not
	// set: all pods.
	// +optional
	PodSelector string `json:"podSelector,omitempty"`
	// gracePeriodSeconds is how long each pod would get to stop. Not set: each pod's own.
	// +optional
	GracePeriodSeconds *int64 `json:"gracePeriodSeconds,omitempty"`
	// unmanagedPods is Evict (the default) or Block.
	// +optional
	UnmanagedPods string `json:"unmanagedPods,omitempty"`
	// emptyDirPods is Evict (the default) or Block.
	// +optional
	EmptyDirPods string `json:"emptyDirPods,omitempty"`
}

// DrainPlanStatus is what a drain of a node would do, as things are now.
type DrainPlanStatus struct {
	// evictionPods is how many pods are to leave the node.
	EvictionPods int32 `json:"evictionPods"`
	// stayingPods is how many pods stay on the node.
	// +optional
	StayingPods int32 `json:"stayingPods"`
	// blockedPodCount is how many of those that are to leave something keeps from leaving now.
	// +optional
	BlockedPodCount int32 `json:"blockedPodCount"`
	// permanentlyBlockedPodCount is for how many of these waiting alone will not help.
	// +optional
	PermanentlyBlockedPodCount int32 `json:"permanentlyBlockedPodCount"`
	// unmanagedPods are those to be evicted that no controller owns: nobody creates them
	// again. As namespace/name.
	// +optional
	// +listType=atomic
	UnmanagedPods []string `json:"unmanagedPods,omitempty"`
	// emptyDirPods are those to be evicted that lose the data of emptyDir volumes. As
	// namespace/name.
	// +optional
	// +listType=atomic
	EmptyDirPods []string `json:"emptyDirPods,omitempty"`
	// pods are all pods of the node, in the order in which they are to go; those that stay
	// come last.
	// +optional
	// +listType=atomic
	Pods []PlannedPod `json:"pods,omitempty"`
}

// PlannedPod is what is to happen with one pod.
type PlannedPod struct {
	// pod is the pod, as namespace/name.
	Pod string `json:"pod"`
	// action is what is to happen with it: Evict, WaitCompleted (it runs to its end first),
	// Terminating (it is leaving already), Delete (past the deadline, whatever its budget
	// says), Block (it is to go, but only a person can remove it), Stay.
	Action PlannedAction `json:"action"`
	// turn is when it goes: 1 is the first, and each begins when the pods of the one before
	// are gone. Only for pods that are evicted.
	// +optional
	Turn int32 `json:"turn,omitempty"`
	// gracePeriodSeconds is how long it gets to stop. Only for pods that are evicted or deleted.
	// +optional
	GracePeriodSeconds *int64 `json:"gracePeriodSeconds,omitempty"`
	// message says why.
	// +optional
	Message string `json:"message,omitempty"`
	// blocker is what keeps it from leaving now. Pods of one disruption budget count
	// against it together: of three pods and room for one, two are blocked.
	// +optional
	Blocker *DrainBlocker `json:"blocker,omitempty"`
	// budgets are the disruption budgets that select it, with their numbers. Only for pods that
	// are to be evicted.
	// +optional
	// +listType=atomic
	Budgets []PlannedBudget `json:"budgets,omitempty"`
}

// PlannedBudget is a disruption budget as its status has it.
type PlannedBudget struct {
	// name is the budget's, as namespace/name.
	Name string `json:"name"`
	// disruptionsAllowed is how many of its pods may be evicted now.
	DisruptionsAllowed int32 `json:"disruptionsAllowed"`
	// currentHealthy is how many of its pods are ready.
	CurrentHealthy int32 `json:"currentHealthy"`
	// desiredHealthy is how many must stay ready.
	DesiredHealthy int32 `json:"desiredHealthy"`
	// expectedPods is how many pods it counts.
	ExpectedPods int32 `json:"expectedPods"`
}

// PlannedAction is what a drain is to do with a pod.
// +enum
type PlannedAction string

const (
	// PlanEvict means that the pod is to be evicted.
	PlanEvict PlannedAction = "Evict"
	// PlanWaitCompleted means that the pod runs to its end first.
	PlanWaitCompleted PlannedAction = "WaitCompleted"
	// PlanTerminating means that the pod is leaving already.
	PlanTerminating PlannedAction = "Terminating"
	// PlanDelete means that the pod is past the deadline and is deleted.
	PlanDelete PlannedAction = "Delete"
	// PlanBlock means that the pod is to go, but only a person can remove it.
	PlanBlock PlannedAction = "Block"
	// PlanStay means that the pod stays on the node.
	PlanStay PlannedAction = "Stay"
)
