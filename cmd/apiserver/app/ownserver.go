// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/replicas"
)

// ownServer finds out which pods of the cluster run this server, from the pod that this process runs in.
// It may run in none, or in one of another cluster than the one that it serves.
func ownServer(ctx context.Context, kube kubernetes.Interface, name types.NamespacedName) (replicas.Server, error) {
	if name.Name == "" {
		return replicas.Server{}, nil
	}
	var pod *corev1.Pod
	err := retryRefused(ctx, func(ctx context.Context) (err error) {
		ctx, cancel := context.WithTimeout(ctx, reachTimeout)
		defer cancel()
		pod, err = kube.CoreV1().Pods(name.Namespace).Get(ctx, name.Name, metav1.GetOptions{})
		return err
	})
	switch {
	case apierrors.IsNotFound(err):
		klog.FromContext(ctx).Info("The cluster does not have the pod of POD_NAMESPACE and POD_NAME, so no drain treats it as the server's own", "pod", name)
		return replicas.Server{}, nil
	case err != nil:
		return replicas.Server{}, fmt.Errorf("could not get pod %s, which POD_NAMESPACE and POD_NAME say that this server runs in: %w", name, err)
	default:
		return replicas.Of(pod), nil
	}
}
