// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterwatch

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// trim keeps only what the drainer uses of an object before it goes into a cache. So memory grows with
// the number of objects, not with their size.
func trim(obj any) (any, error) {
	switch o := obj.(type) {
	case *v1beta1.NodeMaintenance:
		o.ManagedFields = nil
	case *corev1.Node:
		TrimNode(o)
	case *corev1.Pod:
		trimPod(o)
	case *appsv1.DaemonSet:
		o.ObjectMeta = metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name, UID: o.UID, ResourceVersion: o.ResourceVersion}
		o.Spec, o.Status = appsv1.DaemonSetSpec{}, appsv1.DaemonSetStatus{}
	case *corev1.Namespace:
		o.ObjectMeta = metav1.ObjectMeta{Name: o.Name, UID: o.UID, ResourceVersion: o.ResourceVersion, Labels: o.Labels}
		o.Spec, o.Status = corev1.NamespaceSpec{}, corev1.NamespaceStatus{}
	case *storagev1.VolumeAttachment:
		trimAttachment(o)
	case *policyv1.PodDisruptionBudget:
		o.ManagedFields, o.Annotations = nil, nil
	}
	return obj, nil
}

// TrimNode cuts off a node what nobody here reads.
func TrimNode(node *corev1.Node) {
	note, annotated := node.Annotations[v1beta1.HoldsAnnotation]
	node.ManagedFields, node.Annotations = nil, nil
	if annotated {
		node.Annotations = map[string]string{v1beta1.HoldsAnnotation: note}
	}
	// Those who ask the cloud for its events know machines by their provider ids, and another boot says that one came back.
	node.Spec = corev1.NodeSpec{Unschedulable: node.Spec.Unschedulable, Taints: node.Spec.Taints, ProviderID: node.Spec.ProviderID}
	node.Status = corev1.NodeStatus{
		Conditions: node.Status.Conditions, NodeInfo: corev1.NodeSystemInfo{BootID: node.Status.NodeInfo.BootID},
	}
}

func trimPod(pod *corev1.Pod) {
	pod.ManagedFields = nil
	trimAnnotations(pod.Annotations)
	pod.Spec = corev1.PodSpec{
		NodeName:                      pod.Spec.NodeName,
		Volumes:                       tellingVolumes(pod.Spec.Volumes),
		Priority:                      pod.Spec.Priority,
		TerminationGracePeriodSeconds: pod.Spec.TerminationGracePeriodSeconds,
		Tolerations:                   schedulingTolerations(pod.Spec.Tolerations),
		NodeSelector:                  pod.Spec.NodeSelector,
		Affinity:                      requiredNodeAffinity(pod.Spec.Affinity),
	}
	pod.Status = corev1.PodStatus{
		Phase: pod.Status.Phase,
		Conditions: slices.DeleteFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type != corev1.PodReady
		}),
	}
}

// trimAnnotations keeps of each annotation what drain rules can ask for: its name, and one byte more of its
// value than a rule can have, so that a long value matches only rules that take any.
func trimAnnotations(annotations map[string]string) {
	for name, value := range annotations {
		if len(value) > v1beta1.MaxRuleAnnotation {
			annotations[name] = strings.Clone(value[:v1beta1.MaxRuleAnnotation+1])
		}
	}
}

// schedulingTolerations keeps the tolerations that let a pod be scheduled to a cordoned node. Every pod has
// some others.
func schedulingTolerations(tolerations []corev1.Toleration) []corev1.Toleration {
	return slices.DeleteFunc(tolerations, func(t corev1.Toleration) bool {
		return t.Effect != "" && t.Effect != corev1.TaintEffectNoSchedule
	})
}

// requiredNodeAffinity keeps what limits the nodes that a pod may run on.
func requiredNodeAffinity(affinity *corev1.Affinity) *corev1.Affinity {
	if affinity == nil || affinity.NodeAffinity == nil {
		return nil
	}
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
	}}
}

// tellingVolumes keeps the volumes that a drain looks at: those whose data are lost with the pod, and
// those that may be attached to the node.
func tellingVolumes(volumes []corev1.Volume) []corev1.Volume {
	return slices.DeleteFunc(volumes, func(v corev1.Volume) bool {
		return v.EmptyDir == nil && v.PersistentVolumeClaim == nil && v.Ephemeral == nil
	})
}

func trimAttachment(attachment *storagev1.VolumeAttachment) {
	attachment.ManagedFields, attachment.Annotations = nil, nil
	attachment.Spec.Source.InlineVolumeSpec = nil
	attachment.Status = storagev1.VolumeAttachmentStatus{}
}
