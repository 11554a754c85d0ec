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

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

// State sums up what the holds of a node ask for and how far that has come.
func State(node *corev1.Node, holds []maintenance.NodeMaintenance) maintenance.NodeState {
	active := slices.DeleteFunc(slices.Clone(holds), func(hold maintenance.NodeMaintenance) bool { return !nodemaintenance.Keeps(&hold) })
	slices.SortStableFunc(active, func(a, b maintenance.NodeMaintenance) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	state := maintenance.NodeState{
		ObjectMeta: metav1.ObjectMeta{Name: node.Name, Labels: node.Labels},
		Status: maintenance.NodeStateStatus{
			State: stateOf(node, active, len(holds) > len(active) && slices.ContainsFunc(holds, releasing)), Unschedulable: node.Spec.Unschedulable,
			DrainProgress: leastProgress(active), HoldCount: int32(len(active)),
		},
	}
	state.Status.Admission = Admission(stored(active))
	if len(active) > 0 {
		state.Status.Since = active[0].CreationTimestamp.DeepCopy()
	}
	for _, hold := range active[:min(len(active), v1beta1.MaxHolds)] {
		state.Status.Holds = append(state.Status.Holds, maintenance.NodeHold{
			Name: hold.Name, Requestor: hold.Spec.Requestor, Reason: hold.Spec.Reason,
			Stage: hold.Spec.Stage, Phase: hold.Status.Phase, Since: hold.CreationTimestamp,
		})
	}
	return state
}

// releasing says whether the hold no longer needs the node, but the node has not been given back yet.
func releasing(hold maintenance.NodeMaintenance) bool {
	if hold.DeletionTimestamp.IsZero() {
		return hold.Spec.Stage == maintenance.StageIdle && says(&hold, v1beta1.ConditionCordoned)
	}
	return slices.Contains(hold.Finalizers, v1beta1.UncordonFinalizer)
}

// stateOf is the state of the node. If several holds drain it, the worst of their states counts.
func stateOf(node *corev1.Node, active []maintenance.NodeMaintenance, released bool) maintenance.NodeMaintenanceState {
	draining := slices.DeleteFunc(slices.Clone(active), func(hold maintenance.NodeMaintenance) bool {
		return nodemaintenance.StageNow(&hold) != maintenance.StageDrain
	})
	cordoned := slices.ContainsFunc(active, func(hold maintenance.NodeMaintenance) bool { return says(&hold, v1beta1.ConditionCordoned) })
	drained := !slices.ContainsFunc(draining, func(hold maintenance.NodeMaintenance) bool { return !says(&hold, v1beta1.ConditionDrained) })
	failed := slices.ContainsFunc(draining, func(hold maintenance.NodeMaintenance) bool { return hold.Status.Phase == maintenance.PhaseFailed })
	switch {
	case len(active) == 0 && released:
		return maintenance.NodeReleasing
	case len(active) == 0 && node.Spec.Unschedulable:
		return maintenance.NodeUnschedulable
	case len(active) == 0:
		return maintenance.NodeInService
	case !cordoned:
		return maintenance.NodePending
	case len(draining) == 0:
		return maintenance.NodeCordoned
	case failed:
		return maintenance.NodeFailed
	case drained && slices.ContainsFunc(draining, empty):
		return maintenance.NodeDrained
	case drained:
		return maintenance.NodePartiallyDrained
	default:
		return maintenance.NodeDraining
	}
}

// empty says whether no pod is left on the node that a drain of all pods would evict.
func empty(hold maintenance.NodeMaintenance) bool { return nodemaintenance.SaysEmpty(&hold) }

func says(hold *maintenance.NodeMaintenance, condition string) bool {
	return apimeta.IsStatusConditionTrue(hold.Status.Conditions, condition)
}

// leastProgress is the smallest drain progress of the holds; nil when none drains, or may yet.
func leastProgress(active []maintenance.NodeMaintenance) *int32 {
	var least *int32
	for i := range active {
		hold := &active[i]
		if progress := ptr.Deref(hold.Status.DrainProgress, 0); nodemaintenance.StageNow(hold) == maintenance.StageDrain && (least == nil || progress < *least) {
			least = &progress
		}
	}
	return least
}
