// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterwatch

import (
	"context"
	"errors"
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	appsv1listers "k8s.io/client-go/listers/apps/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
	"github.com/medik8s/maintenance-apiserver/pkg/watched"
)

// holdsByNode is the index of the NodeMaintenances by the node that they name.
const holdsByNode = "node"

// attachmentsByNode is the index of the VolumeAttachments by their node.
const attachmentsByNode = "node"

// caches are the drainer's informers. Pods are not among them: see PodWatches.
type caches struct {
	Holds      *watched.Informer
	Nodes      *watched.Informer
	daemonSets *watched.Informer
	budgets    *watched.Informer
	Namespaces *watched.Informer
	// Attachments are the VolumeAttachments.
	Attachments *watched.Informer
	// synced says by name whether each cache is synced. Nothing is decided before all are. Handlers are
	// in it, too, because one of them fills eviction.Budgets.
	synced map[string]cache.InformerSynced
}

func newCaches(config Config) (*caches, error) {
	watches := func(resource string, indexers cache.Indexers) watched.Config {
		return watched.Config{By: "drainer", Resource: resource, Clients: config.Kube, Indexers: indexers, Clock: config.Clock}
	}
	holds := watches("nodemaintenances", cache.Indexers{
		holdsByNode: func(obj any) ([]string, error) {
			hold, isHold := obj.(*v1beta1.NodeMaintenance)
			if !isHold {
				return nil, fmt.Errorf("not a NodeMaintenance: %T", obj)
			}
			return []string{hold.Spec.NodeName}, nil
		},
	})
	holds.Clients, holds.Kind = config.Maintenance, "NodeMaintenance"
	attachments := watches("volumeattachments", cache.Indexers{
		attachmentsByNode: func(obj any) ([]string, error) {
			attachment, isAttachment := obj.(*storagev1.VolumeAttachment)
			if !isAttachment {
				return nil, fmt.Errorf("not a VolumeAttachment: %T", obj)
			}
			return []string{attachment.Spec.NodeName}, nil
		},
	})
	c := &caches{
		Holds: watched.New(holds, config.Maintenance.MaintenanceV1beta1().NodeMaintenances(), &v1beta1.NodeMaintenance{}),
		Nodes: watched.New(watches("nodes", nil), config.Kube.CoreV1().Nodes(), &corev1.Node{}),
		daemonSets: watched.New(watches("daemonsets", cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}),
			config.Kube.AppsV1().DaemonSets(metav1.NamespaceAll), &appsv1.DaemonSet{}),
		budgets: watched.New(watches("poddisruptionbudgets", nil),
			config.Kube.PolicyV1().PodDisruptionBudgets(metav1.NamespaceAll), &policyv1.PodDisruptionBudget{}),
		Namespaces:  watched.New(watches("namespaces", nil), config.Kube.CoreV1().Namespaces(), &corev1.Namespace{}),
		Attachments: watched.New(attachments, config.Kube.StorageV1().VolumeAttachments(), &storagev1.VolumeAttachment{}),
		synced:      map[string]cache.InformerSynced{},
	}
	for _, informer := range c.all() {
		if err := informer.SetTransform(trim); err != nil {
			return nil, fmt.Errorf("could not trim cached objects: %w", err)
		}
	}
	for name, informer := range map[string]cache.SharedIndexInformer{
		"nodemaintenances": c.Holds, "nodes": c.Nodes, "daemonsets": c.daemonSets,
		"namespaces": c.Namespaces, "volumeattachments": c.Attachments,
	} {
		c.synced[name] = informer.HasSynced
	}
	return c, nil
}

func (c *caches) all() []cache.SharedIndexInformer {
	return []cache.SharedIndexInformer{c.Holds, c.Nodes, c.daemonSets, c.budgets, c.Namespaces, c.Attachments}
}

// handle adds a handler. Nothing is decided before the handler has seen all objects that exist.
func (c *caches) handle(name string, informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) error {
	registration, err := informer.AddEventHandler(handler)
	if err != nil {
		return fmt.Errorf("could not watch %s: %w", name, err)
	}
	c.synced[name] = registration.HasSynced
	return nil
}

// Follow adds a handler, until stop is called. synced says whether it has seen all objects that exist.
func Follow(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) (synced cache.InformerSynced, stop func(), err error) {
	registration, err := informer.AddEventHandler(handler)
	if err != nil {
		return nil, nil, fmt.Errorf("could not add a handler: %w", err)
	}
	return registration.HasSynced, func() {
		if err := informer.RemoveEventHandler(registration); err != nil {
			klog.Background().Error(err, "Could not remove a handler")
		}
	}, nil
}

// Run starts to keep the caches up to date, until ctx is done.
func (c *caches) Run(ctx context.Context, running *sync.WaitGroup) {
	for _, informer := range c.all() {
		running.Go(func() { informer.RunWithContext(ctx) })
	}
}

// notSynced says which caches are not synced yet; nil when all are.
func (c *caches) notSynced() error {
	var errs []error
	for name, synced := range c.synced {
		if !synced() {
			errs = append(errs, fmt.Errorf("cache of %s is not synced", name))
		}
	}
	return errors.Join(errs...)
}

func (c *caches) syncedFuncs() []cache.InformerSynced {
	funcs := make([]cache.InformerSynced, 0, len(c.synced))
	for _, synced := range c.synced {
		funcs = append(funcs, synced)
	}
	return funcs
}

func (c *caches) daemonSetLister() appsv1listers.DaemonSetLister {
	return appsv1listers.NewDaemonSetLister(c.daemonSets.GetIndexer())
}

// Node returns the node of that name; nil when there is none.
func (c *caches) Node(name string) *corev1.Node {
	obj, found, err := c.Nodes.GetStore().GetByKey(name)
	if err != nil || !found {
		return nil
	}
	node, _ := obj.(*corev1.Node)
	return node
}

// LabelsOf returns the labels of the pods' namespaces, as far as they are known: the cache may not have
// a new namespace yet.
func (c *caches) LabelsOf(pods []*corev1.Pod) map[string]labels.Set {
	known := map[string]labels.Set{}
	for _, pod := range pods {
		if _, found := known[pod.Namespace]; found {
			continue
		}
		obj, found, err := c.Namespaces.GetStore().GetByKey(pod.Namespace)
		if namespace, isNamespace := obj.(*corev1.Namespace); err == nil && found && isNamespace {
			known[pod.Namespace] = namespace.Labels
		}
	}
	return known
}

// HoldsOn returns the NodeMaintenances that name the node, and those that cannot be read and may be on it.
func (c *caches) HoldsOn(node string) []*v1beta1.NodeMaintenance {
	return append(indexed[*v1beta1.NodeMaintenance](c.Holds, holdsByNode, node), c.lostOn(node)...)
}

// lostOn are the holds that cannot be read, not even for their node, and that the annotation of the node names, as holds on
// it. An annotation that does not name all holds may mean any of them.
func (c *caches) lostOn(name string) []*v1beta1.NodeMaintenance {
	lost := indexed[*v1beta1.NodeMaintenance](c.Holds, holdsByNode, "")
	if len(lost) == 0 {
		return nil // as nearly always, and each reconcile asks
	}
	node := c.Node(name)
	if node == nil {
		return nil
	}
	note := nodemarks.ReadNote(node)
	var found []*v1beta1.NodeMaintenance
	for _, hold := range lost {
		if note.More > 0 || note.Entry(hold.Name) != nil {
			hold = hold.DeepCopy()
			hold.Spec.NodeName = name
			found = append(found, hold)
		}
	}
	return found
}

// AttachmentsTo returns the attachments of volumes to the node.
func (c *caches) AttachmentsTo(node string) []*storagev1.VolumeAttachment {
	return indexed[*storagev1.VolumeAttachment](c.Attachments, attachmentsByNode, node)
}

func indexed[T any](informer cache.SharedIndexInformer, index, value string) []T {
	objects, err := informer.GetIndexer().ByIndex(index, value)
	if err != nil {
		return nil // only an index that does not exist is an error
	}
	found := make([]T, 0, len(objects))
	for _, obj := range objects {
		if typed, isTyped := obj.(T); isTyped {
			found = append(found, typed)
		}
	}
	return found
}

// Object returns the object of an informer's event, which for a missed delete is wrapped in a
// tombstone.
func Object[T any](obj any) (T, bool) {
	if tombstone, isTombstone := obj.(cache.DeletedFinalStateUnknown); isTombstone {
		obj = tombstone.Obj
	}
	typed, isTyped := obj.(T)
	return typed, isTyped
}
