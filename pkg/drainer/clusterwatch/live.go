// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterwatch

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// listPage is how many pods are listed at a time.
const listPage = 500

// live reads from the API servers, and never from our caches.
type live struct {
	kube        kubernetes.Interface
	maintenance versioned.Interface
}

// NodeAndHolds returns the node, nil when there is none, and the NodeMaintenances that name it. The
// holds are read first. A hold that is created after that finds the node as it is returned here, or
// newer.
func (l live) NodeAndHolds(ctx context.Context, name string) (*corev1.Node, []*v1beta1.NodeMaintenance, error) {
	holds, err := l.HoldsOn(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	node, err := l.Node(ctx, name)
	return node, holds, err
}

// HoldsOn lists the NodeMaintenances that name the node.
func (l live) HoldsOn(ctx context.Context, node string) ([]*v1beta1.NodeMaintenance, error) {
	list, err := l.maintenance.MaintenanceV1beta1().NodeMaintenances().List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector(v1beta1.FieldNodeName, node).String(),
	})
	if err != nil {
		return nil, fmt.Errorf("could not list NodeMaintenances of node %s: %w", node, err)
	}
	holds := make([]*v1beta1.NodeMaintenance, 0, len(list.Items))
	for i := range list.Items {
		holds = append(holds, &list.Items[i])
	}
	return holds, nil
}

// Node gets the node; nil when there is none.
func (l live) Node(ctx context.Context, name string) (*corev1.Node, error) {
	node, err := l.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("could not get node %s: %w", name, err)
	}
	TrimNode(node)
	return node, nil
}

// podsOn lists the pods of the node, as they are now if fresh and else as the API server's cache has
// them.
func (l live) podsOn(ctx context.Context, node string, fresh bool) ([]*corev1.Pod, error) {
	options := metav1.ListOptions{FieldSelector: PodsOf(node)}
	if !fresh {
		options.ResourceVersion = "0"
	}
	var pods []*corev1.Pod
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return l.kube.CoreV1().Pods(metav1.NamespaceAll).List(ctx, options)
	})
	pages.PageSize = listPage
	err := pages.EachListItem(ctx, options, func(obj runtime.Object) error {
		if pod, isPod := obj.(*corev1.Pod); isPod {
			pods = append(pods, pod)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("could not list pods of node %s: %w", node, err)
	}
	return pods, nil
}

// PodsOf is the field selector of the pods that are bound to the node.
func PodsOf(node string) string { return fields.OneTermEqualSelector("spec.nodeName", node).String() }

// Claim gets the claim; nil when there is none.
func (l live) Claim(ctx context.Context, name types.NamespacedName, options metav1.GetOptions) (*corev1.PersistentVolumeClaim, error) {
	claim, err := l.kube.CoreV1().PersistentVolumeClaims(name.Namespace).Get(ctx, name.Name, options)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("could not get PersistentVolumeClaim %s: %w", name, err)
	}
	return claim, nil
}
