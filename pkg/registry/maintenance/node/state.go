// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package node works out the state of a node for the resource nodes, and how it is printed. Nothing in
// it does I/O.
package node

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

// State sums up what the holds of a node ask for and how far that has come.
func State(node *corev1.Node, holds []v1beta1.NodeMaintenance) v1beta1.NodeState {
	active := slices.DeleteFunc(slices.Clone(holds), func(hold v1beta1.NodeMaintenance) bool { return !nodemaintenance.Keeps(&hold) })
	slices.SortStableFunc(active, func(a, b v1beta1.NodeMaintenance) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	state := v1beta1.NodeState{
		ObjectMeta: metav1.ObjectMeta{Name: node.Name, Labels: node.Labels},
		Status: v1beta1.NodeStateStatus{
			State: stateOf(node, active, len(holds) > len(active) && slices.ContainsFunc(holds, releasing)), Unschedulable: node.Spec.Unschedulable,
			DrainProgress: leastProgress(active), HoldCount: int32(len(active)),
		},
	}
	state.Status.Admission = Admission(stored(active))
	if len(active) > 0 {
		state.Status.Since = active[0].CreationTimestamp.DeepCopy()
	}
	for _, hold := range active[:min(len(active), v1beta1.MaxHolds)] {
		state.Status.Holds = append(state.Status.Holds, v1beta1.NodeHold{
			Name: hold.Name, Requestor: hold.Spec.Requestor, Reason: hold.Spec.Reason,
			Stage: hold.Spec.Stage, Phase: hold.Status.Phase, Since: hold.CreationTimestamp,
		})
	}
	return state
}

// releasing says whether the hold no longer needs the node, but the node has not been given back yet.
func releasing(hold v1beta1.NodeMaintenance) bool {
	if hold.DeletionTimestamp.IsZero() {
		return hold.Spec.Stage == v1beta1.StageIdle && says(&hold, v1beta1.ConditionCordoned)
	}
	return slices.Contains(hold.Finalizers, v1beta1.UncordonFinalizer)
}

// stateOf is the state of the node. If several holds drain it, the worst of their states counts.
func stateOf(node *corev1.Node, active []v1beta1.NodeMaintenance, released bool) v1beta1.NodeMaintenanceState {
	draining := slices.DeleteFunc(slices.Clone(active), func(hold v1beta1.NodeMaintenance) bool {
		return v1beta1.StageNow(&hold) != v1beta1.StageDrain
	})
	cordoned := slices.ContainsFunc(active, func(hold v1beta1.NodeMaintenance) bool { return says(&hold, v1beta1.ConditionCordoned) })
	drained := !slices.ContainsFunc(draining, func(hold v1beta1.NodeMaintenance) bool { return !says(&hold, v1beta1.ConditionDrained) })
	failed := slices.ContainsFunc(draining, func(hold v1beta1.NodeMaintenance) bool { return hold.Status.Phase == v1beta1.PhaseFailed })
	switch {
	case len(active) == 0 && released:
		return v1beta1.NodeReleasing
	case len(active) == 0 && node.Spec.Unschedulable:
		return v1beta1.NodeUnschedulable
	case len(active) == 0:
		return v1beta1.NodeInService
	case !cordoned:
		return v1beta1.NodePending
	case len(draining) == 0:
		return v1beta1.NodeCordoned
	case failed:
		return v1beta1.NodeFailed
	case drained && slices.ContainsFunc(draining, empty):
		return v1beta1.NodeDrained
	case drained:
		return v1beta1.NodePartiallyDrained
	default:
		return v1beta1.NodeDraining
	}
}

// empty says whether no pod is left on the node that a drain of all pods would evict.
func empty(hold v1beta1.NodeMaintenance) bool { return nodemaintenance.SaysEmpty(&hold) }

func says(hold *v1beta1.NodeMaintenance, condition string) bool {
	return apimeta.IsStatusConditionTrue(hold.Status.Conditions, condition)
}

// leastProgress is the smallest drain progress of the holds; nil when none drains, or may yet.
func leastProgress(active []v1beta1.NodeMaintenance) *int32 {
	var least *int32
	for i := range active {
		hold := &active[i]
		if progress := ptr.Deref(hold.Status.DrainProgress, 0); v1beta1.StageNow(hold) == v1beta1.StageDrain && (least == nil || progress < *least) {
			least = &progress
		}
	}
	return least
}
