// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PodOption changes the pods of a controller, or a single pod.
type PodOption func(*corev1.PodTemplateSpec)

// ReadyDelay sets how long after it was bound a pod becomes Ready.
func ReadyDelay(d time.Duration) PodOption {
	return Annotation(ReadyDelayAnnotation, inMilliseconds(d))
}

// TerminationDelay sets how long after its deletion a pod is gone, at most its
// grace period.
func TerminationDelay(d time.Duration) PodOption {
	return Annotation(TerminationDelayAnnotation, inMilliseconds(d))
}

// CompleteAfter lets a pod succeed after it was Ready for a time.
func CompleteAfter(d time.Duration) PodOption {
	return Annotation(CompleteAfterAnnotation, inMilliseconds(d))
}

// Unready keeps the pods Running but not Ready.
func Unready() PodOption {
	return Annotation(UnreadyAnnotation, "true")
}

// GracePeriod sets a pod's termination grace period in seconds. Default: 30.
func GracePeriod(seconds int64) PodOption {
	return func(t *corev1.PodTemplateSpec) { t.Spec.TerminationGracePeriodSeconds = &seconds }
}

// OnNode puts the pods on a node, without the scheduler.
func OnNode(name string) PodOption {
	return func(t *corev1.PodTemplateSpec) { t.Spec.NodeName = name }
}

// NodeSelector lets the scheduler choose only nodes with a label.
func NodeSelector(key, value string) PodOption {
	return func(t *corev1.PodTemplateSpec) {
		if t.Spec.NodeSelector == nil {
			t.Spec.NodeSelector = map[string]string{}
		}
		t.Spec.NodeSelector[key] = value
	}
}

// Tolerate lets the pods onto nodes with a taint; an empty key stands for every taint.
func Tolerate(key string) PodOption {
	return func(t *corev1.PodTemplateSpec) {
		t.Spec.Tolerations = append(t.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
	}
}

// Annotation sets an annotation of the pods.
func Annotation(key, value string) PodOption {
	return func(t *corev1.PodTemplateSpec) { t.Annotations[key] = value }
}

// Label sets a label of the pods.
func Label(key, value string) PodOption {
	return func(t *corev1.PodTemplateSpec) { t.Labels[key] = value }
}

// Finalizer keeps a deleted pod until somebody removes the finalizer. It has an
// effect on bare pods only: controllers do not pass it on.
func Finalizer(name string) PodOption {
	return func(t *corev1.PodTemplateSpec) { t.Finalizers = append(t.Finalizers, name) }
}

// EmptyDir gives the pods a local volume.
func EmptyDir() PodOption {
	return func(t *corev1.PodTemplateSpec) {
		t.Spec.Volumes = append(t.Spec.Volumes, corev1.Volume{
			Name:         "scratch",
			VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
		})
	}
}

// Claim gives the pods a volume of the named PersistentVolumeClaim.
func Claim(name string) PodOption {
	return func(t *corev1.PodTemplateSpec) {
		t.Spec.Volumes = append(t.Spec.Volumes, corev1.Volume{
			Name:         "data",
			VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}},
		})
	}
}

// PriorityClass sets the pods' priority class.
func PriorityClass(name string) PodOption {
	return func(t *corev1.PodTemplateSpec) { t.Spec.PriorityClassName = name }
}

// podTemplate returns a pod of one container, whose image is never pulled.
func podTemplate(app string, options []PodOption) corev1.PodTemplateSpec {
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{
			Labels:      map[string]string{AppLabel: app},
			Annotations: map[string]string{},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "simulated"}}},
	}
	for _, option := range options {
		option(&template)
	}
	return template
}
