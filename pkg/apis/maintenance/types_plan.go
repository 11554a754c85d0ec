// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// DrainPlan says what a drain of one node would do with each of its pods, as things are now:
// GET nodes/<name>/drainplan. Nothing is changed by asking, and nothing is stored.
type DrainPlan struct {
	metav1.TypeMeta
	// Standard object's metadata. The name is the node's.
	metav1.ObjectMeta

	// spec is the drain that was planned for, from the parameters of the request. The plan
	// also counts in the NodeMaintenances that the node has already.
	Spec DrainSpec
	// status is the plan.
	Status DrainPlanStatus
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// DrainPlanOptions are the query parameters of GET nodes/<name>/drainplan. They mean what the
// fields of spec.drain mean. Rules have no parameter: create a NodeMaintenance with dryRun=All to
// see the plan of a drain with rules, in status.plan.
type DrainPlanOptions struct {
	metav1.TypeMeta

	// podSelector narrows the drain to pods with these labels, as in app=web,tier!=db. Not
	// set: all pods.
	PodSelector string
	// gracePeriodSeconds is how long each pod would get to stop. Not set: each pod's own.
	GracePeriodSeconds *int64
	// unmanagedPods is Evict (the default) or Block.
	UnmanagedPods string
	// emptyDirPods is Evict (the default) or Block.
	EmptyDirPods string
}

// DrainPlanStatus is what a drain of a node would do, as things are now.
type DrainPlanStatus struct {
	// evictionPods is how many pods are to leave the node.
	EvictionPods int32
	// stayingPods is how many pods stay on the node.
	StayingPods int32
	// blockedPodCount is how many of those that are to leave something keeps from leaving now.
	BlockedPodCount int32
	// permanentlyBlockedPodCount is for how many of these waiting alone will not help.
	PermanentlyBlockedPodCount int32
	// unmanagedPods are those to be evicted that no controller owns: nobody creates them
	// again. As namespace/name.
	UnmanagedPods []string
	// emptyDirPods are those to be evicted that lose the data of emptyDir volumes. As
	// namespace/name.
	EmptyDirPods []string
	// pods are all pods of the node, in the order in which they are to go; those that stay
	// come last.
	Pods []PlannedPod
}

// PlannedPod is what is to happen with one pod.
type PlannedPod struct {
	// pod is the pod, as namespace/name.
	Pod string
	// action is what is to happen with it: Evict, WaitCompleted (it runs to its end first),
	// Terminating (it is leaving already), Delete (past the deadline, whatever its budget
	// says), Block (it is to go, but only a person can remove it), Stay.
	Action PlannedAction
	// turn is when it goes: 1 is the first, and each begins when the pods of the one before
	// are gone. Only for pods that are evicted.
	Turn int32
	// gracePeriodSeconds is how long it gets to stop. Only for pods that are evicted or deleted.
	GracePeriodSeconds *int64
	// message says why.
	Message string
	// blocker is what keeps it from leaving now. Pods of one disruption budget count
	// against it together: of three pods and room for one, two are blocked.
	Blocker *DrainBlocker
	// budgets are the disruption budgets that select it, with their numbers. Only for pods that
	// are to be evicted.
	Budgets []PlannedBudget
}

// PlannedBudget is a disruption budget as its status has it.
type PlannedBudget struct {
	// name is the budget's, as namespace/name.
	Name string
	// disruptionsAllowed is how many of its pods may be evicted now.
	DisruptionsAllowed int32
	// currentHealthy is how many of its pods are ready.
	CurrentHealthy int32
	// desiredHealthy is how many must stay ready.
	DesiredHealthy int32
	// expectedPods is how many pods it counts.
	ExpectedPods int32
}

// PlannedAction is what a drain is to do with a pod.
type PlannedAction string
