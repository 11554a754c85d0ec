// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Pod builds a running, ready pod of a ReplicaSet.
type Pod struct {
	// Name is required. UID is what UID makes of it by default.
	Name string
	UID  types.UID
	// Namespace, Node and App (the value of the label app) are the constants of the same names by
	// default.
	Namespace, Node, App string
	// DrainLabel is the value of v1beta1.DrainLabel; empty: the pod does not have it.
	DrainLabel string
	// OwnerKind and OwnerName are of the pod's controller. Default: ReplicaSet web.
	OwnerKind, OwnerName string
	// Unmanaged pods have no controller, and Mirror pods are static ones besides.
	Unmanaged, Mirror bool
	// Phase is Running by default.
	Phase    corev1.PodPhase
	NotReady bool
	Priority *int32
	// GracePeriodSeconds is in the pod's spec; nil: the server's default.
	GracePeriodSeconds *int64
	// TerminatingAt is the time when the grace period ends of a pod that is being deleted; zero: it is not.
	TerminatingAt time.Time
	Finalizers    []string
	Volumes       []corev1.Volume
	// Change makes a last change.
	Change func(*corev1.Pod)
}

// Object is the pod.
func (p Pod) Object() *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: cmp.Or(p.Namespace, Namespace), Name: p.Name, UID: cmp.Or(p.UID, UID(p.Name)),
			Labels: map[string]string{"app": cmp.Or(p.App, App)}, Finalizers: p.Finalizers, OwnerReferences: p.owners(),
		},
		Spec: corev1.PodSpec{
			NodeName: cmp.Or(p.Node, NodeName), Priority: p.Priority, Volumes: p.Volumes,
			TerminationGracePeriodSeconds: p.GracePeriodSeconds,
		},
		Status: corev1.PodStatus{
			Phase:      cmp.Or(p.Phase, corev1.PodRunning),
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		},
	}
	if p.DrainLabel != "" {
		pod.Labels[v1beta1.DrainLabel] = p.DrainLabel
	}
	if p.Mirror {
		pod.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
	}
	if p.NotReady {
		SetReady(corev1.ConditionFalse)(pod)
	}
	if !p.TerminatingAt.IsZero() {
		pod.DeletionTimestamp = ptr.To(metav1.NewTime(p.TerminatingAt))
	}
	return changed(pod, p.Change)
}

func (p Pod) owners() []metav1.OwnerReference {
	if p.Mirror || p.Unmanaged {
		return nil
	}
	return []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: cmp.Or(p.OwnerKind, "ReplicaSet"), Name: cmp.Or(p.OwnerName, "web"),
		Controller: ptr.To(true),
	}}
}

// SetReady changes the condition Ready of a pod that a builder built.
func SetReady(status corev1.ConditionStatus) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Status.Conditions[0].Status = status }
}

// EmptyDir is a volume of local data.
func EmptyDir() corev1.Volume {
	return corev1.Volume{Name: "e", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}
}

// ClaimVolume is a volume of a PersistentVolumeClaim.
func ClaimVolume(claim string) corev1.Volume {
	return corev1.Volume{Name: "v", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
	}}
}

// EphemeralVolume is a volume whose claim is made for the pod.
func EphemeralVolume(name string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}}
}

// Launcher makes the pod one that runs the virtual machine of the name, for Pod.Change.
func Launcher(machine string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Labels["kubevirt.io"] = "virt-launcher"
		pod.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "kubevirt.io/v1", Kind: "VirtualMachineInstance", Name: machine, UID: UID(machine), Controller: ptr.To(true),
		}}
	}
}

// Replica makes the pod one that runs this server, in the Deployment server, for Pod.Change.
func Replica(pod *corev1.Pod) {
	pod.Labels["app.kubernetes.io/name"], pod.Labels["pod-template-hash"] = "server", "6b8f"
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "server-6b8f", Controller: ptr.To(true)}}
}
