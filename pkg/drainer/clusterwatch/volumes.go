// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterwatch

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
)

// A plan that is shown says which pods can run nowhere else, because of their volumes. To read these is bounded, since
// whoever may create pods chooses how many claims they name.
const (
	volumesTimeout = 2 * time.Second
	volumesAtATime = 10
	MaxClaims      = 500
)

// volumes reads the volumes of claims that outlive the pods, those of which it is not known which nodes can have them
// included. It makes no request for pods without claims.
func (w *Watcher) volumes(ctx context.Context, pods []*corev1.Pod) map[types.UID][]plan.Volume {
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
	workqueue.ParallelizeUntil(ctx, volumesAtATime, min(len(asked), MaxClaims), func(i int) { read[i] = w.volume(ctx, asked[i]) })
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
func (w *Watcher) volume(ctx context.Context, claim types.NamespacedName) *plan.Volume {
	cached := metav1.GetOptions{ResourceVersion: "0"}
	pvc, err := w.Live.Claim(ctx, claim, cached)
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

// ClaimsOf are the claims that the pod's volumes come from.
func ClaimsOf(pod *corev1.Pod) []types.NamespacedName {
	found := lastingClaims(pod)
	for _, volume := range pod.Spec.Volumes {
		if volume.Ephemeral != nil {
			found = append(found, types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name + "-" + volume.Name})
		}
	}
	return found
}

// VolumeName is the name of the attached volume or, where it has none, of the attachment.
func VolumeName(attachment *storagev1.VolumeAttachment) string {
	if name := attachment.Spec.Source.PersistentVolumeName; name != nil {
		return *name
	}
	return attachment.Name
}
