// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingcorev1 "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
	"k8s.io/kubectl/pkg/util/podutils"
)

// lacking returns the DaemonSets that lack a ready pod on the node, as namespace/name with what is wrong, sorted. A
// DaemonSet that puts no pod on the node as it is now counts only if it has one there: what keeps its pods away may be
// our own mark, which is taken off only at the give-back.
func lacking(sets []*appsv1.DaemonSet, pods []*corev1.Pod, node *corev1.Node) []string {
	var names []string
	for _, set := range sets {
		if !set.DeletionTimestamp.IsZero() {
			continue
		}
		present, ready := podsOf(set, pods)
		switch {
		case ready:
		case present:
			names = append(names, fmt.Sprintf("%s/%s (its pod is not ready)", set.Namespace, set.Name))
		case comesTo(set, node):
			names = append(names, fmt.Sprintf("%s/%s (no pod on the node)", set.Namespace, set.Name))
		}
	}
	slices.Sort(names)
	return names
}

// podsOf says whether a pod of the DaemonSet is there, and whether one is ready. Pods that go do not count.
func podsOf(set *appsv1.DaemonSet, pods []*corev1.Pod) (present, ready bool) {
	for _, pod := range pods {
		owner := metav1.GetControllerOfNoCopy(pod)
		if owner == nil || owner.UID != set.UID || !pod.DeletionTimestamp.IsZero() || podFinished(pod) {
			continue
		}
		present, ready = true, ready || podutils.IsPodReady(pod)
	}
	return present, ready
}

// podFinished says whether the pod has ended, so that its DaemonSet replaces it.
func podFinished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

// comesTo says whether the DaemonSet puts a pod on the node as it is now.
func comesTo(set *appsv1.DaemonSet, node *corev1.Node) bool {
	template := set.Spec.Template.Spec
	if template.NodeName != "" && template.NodeName != node.Name {
		return false
	}
	affinity := nodeaffinity.GetRequiredNodeAffinity(&corev1.Pod{Spec: template})
	if matches, err := affinity.Match(node); err != nil || !matches {
		return false
	}
	tolerations := append(slices.Clone(template.Tolerations), addedTolerations(template.HostNetwork)...)
	_, keptAway := schedulingcorev1.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, tolerations, keepsAway, false)
	return !keptAway
}

func keepsAway(taint *corev1.Taint) bool {
	return taint.Effect == corev1.TaintEffectNoSchedule || taint.Effect == corev1.TaintEffectNoExecute
}

// addedTolerations are those that the DaemonSet controller gives to every pod.
func addedTolerations(hostNetwork bool) []corev1.Toleration {
	added := []corev1.Toleration{
		{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	}
	keys := []string{
		corev1.TaintNodeDiskPressure, corev1.TaintNodeMemoryPressure, corev1.TaintNodePIDPressure, corev1.TaintNodeUnschedulable,
	}
	if hostNetwork {
		keys = append(keys, corev1.TaintNodeNetworkUnavailable)
	}
	for _, key := range keys {
		added = append(added, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule})
	}
	return added
}
