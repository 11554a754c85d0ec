// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// differ says whether two versions of the same node differ in something that checks depend on. expressions says so for
// expressions.
func (n *needs) differ(before, after *corev1.Node, expressions func() bool) bool {
	return slices.ContainsFunc(n.labels, func(key string) bool { return keyDiffers(before.Labels, after.Labels, key) }) ||
		slices.ContainsFunc(n.annotations, func(key string) bool {
			return keyDiffers(before.Annotations, after.Annotations, key)
		}) ||
		slices.ContainsFunc(n.conditions, func(kind string) bool { return status(before, kind) != status(after, kind) }) ||
		n.node && expressions()
}

func keyDiffers(before, after map[string]string, key string) bool {
	was, had := before[key]
	is, has := after[key]
	return was != is || had != has
}

// status is the status of a condition; empty if the node does not have it.
func status(node *corev1.Node, kind string) corev1.ConditionStatus {
	for _, condition := range node.Status.Conditions {
		if string(condition.Type) == kind {
			return condition.Status
		}
	}
	return ""
}

// expressionsDiffer says whether an expression may see a difference. The times of heartbeats and the list of images, which
// change all the time, are none.
func expressionsDiffer(before, after *corev1.Node) bool {
	return !equality.Semantic.DeepEqual(lasting(&before.ObjectMeta), lasting(&after.ObjectMeta)) ||
		!equality.Semantic.DeepEqual(&before.Spec, &after.Spec) ||
		!equality.Semantic.DeepEqual(lastingStatus(&before.Status), lastingStatus(&after.Status))
}

func lasting(meta *metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		UID: meta.UID, Labels: meta.Labels, Annotations: meta.Annotations, Finalizers: meta.Finalizers,
		OwnerReferences: meta.OwnerReferences, DeletionTimestamp: meta.DeletionTimestamp,
	}
}

func lastingStatus(status *corev1.NodeStatus) corev1.NodeStatus {
	lasting := *status
	lasting.Images = nil
	lasting.Conditions = slices.Clone(status.Conditions)
	for i := range lasting.Conditions {
		lasting.Conditions[i].LastHeartbeatTime = metav1.Time{}
	}
	return lasting
}
