// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	corev1informers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	informers "github.com/medik8s/maintenance-apiserver/pkg/generated/informers/externalversions/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// known are the caches that a process has anyway.
type known struct{ nodes, holds, policies cache.SharedIndexInformer }

func newKnown(kube kubernetes.Interface, maintenance versioned.Interface) *known {
	return &known{
		nodes:    corev1informers.NewNodeInformer(kube, 0, cache.Indexers{}),
		holds:    informers.NewNodeMaintenanceInformer(maintenance, 0, cache.Indexers{}),
		policies: informers.NewMaintenancePolicyInformer(maintenance, 0, cache.Indexers{}),
	}
}

func (k *known) run(ctx context.Context) {
	var running sync.WaitGroup
	for _, informer := range []cache.SharedIndexInformer{k.nodes, k.holds, k.policies} {
		running.Go(func() { informer.RunWithContext(ctx) })
	}
	running.Wait()
}

func all[T any](informer cache.SharedIndexInformer) (objects []T) {
	for _, object := range informer.GetStore().List() {
		objects = append(objects, object.(T))
	}
	return objects
}

func follow[T any](informer cache.SharedIndexInformer, changed func(before, after T)) (func(), error) {
	_, stop, err := workloop.Follow(informer, func(before, after any) {
		old, _ := before.(T)
		updated, _ := after.(T)
		changed(old, updated)
	})
	return stop, err
}

func (k *known) Node(name string) (*corev1.Node, error) {
	object, _, err := k.nodes.GetStore().GetByKey(name)
	node, _ := object.(*corev1.Node)
	return node, err
}

func (k *known) Nodes() ([]*corev1.Node, error) { return all[*corev1.Node](k.nodes), nil }

func (k *known) Holds() ([]*v1beta1.NodeMaintenance, error) {
	return all[*v1beta1.NodeMaintenance](k.holds), nil
}

func (k *known) FollowNodes(changed func(before, after *corev1.Node)) (func(), error) {
	return follow(k.nodes, changed)
}

func (k *known) FollowHolds(changed func(before, after *v1beta1.NodeMaintenance)) (func(), error) {
	return follow(k.holds, changed)
}

func (k *known) Outline(context.Context, *v1beta1.NodeMaintenance) (*v1beta1.DrainPlanStatus, error) {
	return &v1beta1.DrainPlanStatus{}, nil
}

func (k *known) Policies() []*v1beta1.MaintenancePolicy {
	return all[*v1beta1.MaintenancePolicy](k.policies)
}

func (k *known) FollowPolicies(changed func()) (func(), error) {
	return follow(k.policies, func(_, _ *v1beta1.MaintenancePolicy) { changed() })
}
