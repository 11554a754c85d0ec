// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package podaffinity

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// operational is the value of v1beta1.StateLabel that pods prefer.
const operational = "operational"

// prefers says whether a pod would move, and would rather go to nodes that are operational. Pods that have finished or are
// being deleted do not move any more, and those of DaemonSets and static pods never do.
func prefers(pod *corev1.Pod) bool {
	finished := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	return !finished && pod.DeletionTimestamp == nil && !stays(pod) && slices.ContainsFunc(preferred(pod), namesState)
}

// stays says whether a pod never moves to another node.
func stays(pod *corev1.Pod) bool {
	if _, isMirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; isMirror {
		return true
	}
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet" && owner.APIVersion == "apps/v1"
}

// preferred are the terms of the preferred node affinity of a pod.
func preferred(pod *corev1.Pod) []corev1.PreferredSchedulingTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
}

// namesState says whether a term asks for nodes that are operational, and nothing else of their state.
func namesState(term corev1.PreferredSchedulingTerm) bool {
	return slices.ContainsFunc(term.Preference.MatchExpressions, func(e corev1.NodeSelectorRequirement) bool {
		return e.Key == v1beta1.StateLabel && e.Operator == corev1.NodeSelectorOpIn && slices.Equal(e.Values, []string{operational})
	})
}

// preference is what trim keeps of the affinity of a pod that prefers nodes that are operational. All of them share it.
var preference = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
	PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
		Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: v1beta1.StateLabel, Operator: corev1.NodeSelectorOpIn, Values: []string{operational}},
		}},
	}},
}}

// trim keeps of a pod what is asked later: its name, and whether it prefers nodes that are operational. An informer may
// trim an object twice.
func trim(object any) (any, error) {
	pod, isPod := object.(*corev1.Pod)
	if !isPod {
		return object, nil
	}
	trimmed := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion,
	}}
	if prefers(pod) {
		trimmed.Spec.Affinity = preference
	}
	return trimmed, nil
}
