// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
)

// attachedVolumes are the volumes that are attached to the node, without those of pods that stay there,
// sorted.
func (d *drains) attachedVolumes(ctx context.Context, v *view, planned plan.Plan) ([]string, error) {
	attachments := d.watcher.caches.attachmentsTo(v.name)
	if len(attachments) == 0 {
		return nil, nil
	}
	staying := sets.New[string]()
	for _, pod := range planned.Pods {
		if pod.Action != v1beta1.PlanStay {
			continue
		}
		for _, claim := range claimsOf(pod.Pod) {
			volume, err := d.volumeOf(ctx, v.memory, claim)
			if err != nil {
				return nil, err
			}
			staying.Insert(volume)
		}
	}
	var attached []string
	for _, attachment := range attachments {
		if name := volumeName(attachment); !staying.Has(name) {
			attached = append(attached, name)
		}
	}
	slices.Sort(attached)
	return attached, nil
}

// volumeOf returns the volume that the claim is bound to; "" when it is bound to none.
func (d *drains) volumeOf(ctx context.Context, memory *nodeMemory, claim types.NamespacedName) (string, error) {
	if volume, known := memory.volumes[claim]; known {
		return volume, nil
	}
	pvc, err := d.watcher.config.Kube.CoreV1().PersistentVolumeClaims(claim.Namespace).Get(ctx, claim.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("could not get PersistentVolumeClaim %s: %w", claim, err)
	}
	if pvc.Spec.VolumeName != "" {
		if memory.volumes == nil {
			memory.volumes = map[types.NamespacedName]string{}
		}
		memory.volumes[claim] = pvc.Spec.VolumeName
	}
	return pvc.Spec.VolumeName, nil
}

// claimsOf are the claims that the pod's volumes come from.
func claimsOf(pod *corev1.Pod) []types.NamespacedName {
	var found []types.NamespacedName
	for _, volume := range pod.Spec.Volumes {
		switch {
		case volume.PersistentVolumeClaim != nil:
			found = append(found, types.NamespacedName{Namespace: pod.Namespace, Name: volume.PersistentVolumeClaim.ClaimName})
		case volume.Ephemeral != nil:
			found = append(found, types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name + "-" + volume.Name})
		}
	}
	return found
}

// volumeName is the name of the attached volume or, where it has none, of the attachment.
func volumeName(attachment *storagev1.VolumeAttachment) string {
	if name := attachment.Spec.Source.PersistentVolumeName; name != nil {
		return *name
	}
	return attachment.Name
}
