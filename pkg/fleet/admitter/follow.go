// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// follow has the term decide when something changes that decisions depend on, until unfollow is called.
func (t *term) follow() (unfollow func(), err error) {
	var stops []func()
	unfollow = func() {
		for _, stop := range stops {
			stop()
		}
	}
	for _, follow := range []func() (func(), error){
		func() (func(), error) { return t.FollowPolicies(t.policyChanged) },
		func() (func(), error) { return t.config.Cluster.FollowNodes(t.nodeChanged) },
		func() (func(), error) { return t.config.Cluster.FollowHolds(t.holdChanged) },
	} {
		stop, err := follow()
		if err != nil {
			return unfollow, err
		}
		stops = append(stops, stop)
	}
	return unfollow, nil
}

func (t *term) nodeChanged(before, after *corev1.Node) {
	if !t.isIdle() && (before == nil || after == nil || nodesDiffer(before, after) || t.marksDiffer(before, after)) {
		t.kick()
	}
}

// marksDiffer says whether the node was given back, or cordoned, although it carries marks of others before and after.
func (t *term) marksDiffer(before, after *corev1.Node) bool {
	return t.config.Cluster.HasInMaintenance(before) != t.config.Cluster.HasInMaintenance(after)
}

// nodesDiffer says whether a node differs in what decisions depend on. The kubelet's heartbeats do not matter.
func nodesDiffer(before, after *corev1.Node) bool {
	return before.UID != after.UID || before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero() ||
		before.Spec.Unschedulable != after.Spec.Unschedulable || nodemarks.Marked(before) != nodemarks.Marked(after) ||
		before.Annotations[v1beta1.HoldsAnnotation] != after.Annotations[v1beta1.HoldsAnnotation] ||
		ready(before) != ready(after) || !maps.Equal(before.Labels, after.Labels)
}

func ready(node *corev1.Node) corev1.ConditionStatus {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status
		}
	}
	return corev1.ConditionUnknown
}

func (t *term) holdChanged(before, after *v1beta1.NodeMaintenance) {
	if !t.isIdle() && (before == nil || after == nil || holdsDiffer(before, after)) {
		t.kick()
	}
}

// holdsDiffer says whether a hold differs in what decisions depend on. The progress of a drain does not matter.
func holdsDiffer(before, after *v1beta1.NodeMaintenance) bool {
	return before.UID != after.UID || before.Generation != after.Generation ||
		before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero() || len(before.Finalizers) != len(after.Finalizers) ||
		before.Status.Phase != after.Status.Phase || before.Status.NodeUID != after.Status.NodeUID ||
		(before.Status.NodeBefore == nil) != (after.Status.NodeBefore == nil) ||
		!before.Status.StartTime.Equal(after.Status.StartTime) || !before.Status.DrainedTime.Equal(after.Status.DrainedTime) ||
		!apiequality.Semantic.DeepEqual(approvals(before), approvals(after))
}

func approvals(hold *v1beta1.NodeMaintenance) []v1beta1.MaintenanceDecision {
	if hold.Status.Admission == nil {
		return nil
	}
	return hold.Status.Admission.Approvals
}
