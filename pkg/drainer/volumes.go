// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
)

// A plan that is shown says which pods can run nowhere else, because of their volumes. To read these is bounded, since
// whoever may create pods chooses how many claims they name.
const (
	volumesTimeout = 2 * time.Second
	volumesAtATime = 10
	maxClaims      = 500
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
	pvc, err := d.watcher.live.claim(ctx, claim, metav1.GetOptions{})
	if pvc == nil || err != nil {
		return "", err
	}
	if pvc.Spec.VolumeName != "" {
		if memory.volumes == nil {
			memory.volumes = map[types.NamespacedName]string{}
		}
		memory.volumes[claim] = pvc.Spec.VolumeName
	}
	return pvc.Spec.VolumeName, nil
}

// volumes reads the volumes of claims that outlive the pods, those of which it is not known which nodes can have them
// included. It makes no request for pods without claims.
func (w *watcher) volumes(ctx context.Context, pods []*corev1.Pod) map[types.UID][]plan.Volume {
	ctx, cancel := context.WithTimeout(ctx, volumesTimeout)
	defer cancel()
	var asked []types.NamespacedName
	byClaim := map[types.NamespacedName]plan.Volume{}
	for _, pod := range pods {
		for _, claim := range lastingClaims(pod) {
			if _, known := byClaim[claim]; !known {
				asked, byClaim[claim] = append(asked, claim), plan.Volume{}
			}
		}
	}
	read := make([]*plan.Volume, len(asked))
	workqueue.ParallelizeUntil(ctx, volumesAtATime, min(len(asked), maxClaims), func(i int) { read[i] = w.volume(ctx, asked[i]) })
	for i, claim := range asked {
		byClaim[claim] = ptr.Deref(read[i], plan.Volume{Unknown: fmt.Sprintf("PersistentVolumeClaim %s was not read in time", claim)})
	}
	byPod := map[types.UID][]plan.Volume{}
	for _, pod := range pods {
		for _, claim := range lastingClaims(pod) {
			byPod[pod.UID] = append(byPod[pod.UID], byClaim[claim])
		}
	}
	return byPod
}

// volume reads the volume that the claim is bound to. A claim that is to be deleted goes with its pod.
func (w *watcher) volume(ctx context.Context, claim types.NamespacedName) *plan.Volume {
	cached := metav1.GetOptions{ResourceVersion: "0"}
	pvc, err := w.live.claim(ctx, claim, cached)
	if err != nil {
		return &plan.Volume{Unknown: err.Error()}
	}
	if pvc == nil || pvc.DeletionTimestamp != nil || pvc.Spec.VolumeName == "" {
		return &plan.Volume{}
	}
	found := &plan.Volume{Claim: claim.Name, Name: pvc.Spec.VolumeName}
	switch pv, err := w.config.Kube.CoreV1().PersistentVolumes().Get(ctx, pvc.Spec.VolumeName, cached); {
	case apierrors.IsNotFound(err):
	case err != nil:
		found.Unknown = fmt.Sprintf("could not get PersistentVolume %s: %s", pvc.Spec.VolumeName, err)
	case pv.Spec.NodeAffinity != nil:
		found.Nodes = pv.Spec.NodeAffinity.Required
	}
	return found
}

// lastingClaims are the claims that the pod names. Those of its ephemeral volumes are deleted with it.
func lastingClaims(pod *corev1.Pod) []types.NamespacedName {
	var found []types.NamespacedName
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim != nil {
			found = append(found, types.NamespacedName{Namespace: pod.Namespace, Name: volume.PersistentVolumeClaim.ClaimName})
		}
	}
	return found
}

// claimsOf are the claims that the pod's volumes come from.
func claimsOf(pod *corev1.Pod) []types.NamespacedName {
	found := lastingClaims(pod)
	for _, volume := range pod.Spec.Volumes {
		if volume.Ephemeral != nil {
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
