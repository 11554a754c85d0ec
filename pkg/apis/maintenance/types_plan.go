// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

// DrainPlan is what a drain of a node would do, as things are now.
type DrainPlan struct {
	// evictionPods is how many pods are to leave the node.
	EvictionPods int32
	// blockedPodCount is how many of these something keeps from leaving now.
	BlockedPodCount int32
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
	// gracePeriodSeconds is how long it gets to stop. Not set: its own
	// terminationGracePeriodSeconds.
	GracePeriodSeconds *int64
	// message says why.
	Message string
	// blocker is what keeps it from leaving now. Pods of one disruption budget count
	// against it together: of three pods and room for one, two are blocked.
	Blocker *DrainBlocker
}

// PlannedAction is what a drain is to do with a pod.
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
