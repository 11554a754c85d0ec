// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/clusterwatch"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// watch puts a node into the queue whenever something changes that concerns it, until unwatch is
// called. synced say whether the handlers have seen all objects that exist. Disruption budgets are not
// watched here: the dispatcher is told of them.
func (l *leader) watch() (synced []cache.InformerSynced, unwatch func(), err error) {
	var stops []func()
	unwatch = func() {
		for _, stop := range stops {
			stop()
		}
	}
	caches := l.watcher.Caches
	for _, w := range []struct {
		informer cache.SharedIndexInformer
		handler  cache.ResourceEventHandlerFuncs
	}{
		{caches.Holds, cache.ResourceEventHandlerFuncs{AddFunc: l.holdChanged, UpdateFunc: l.holdUpdated, DeleteFunc: l.holdChanged}},
		{caches.Nodes, cache.ResourceEventHandlerFuncs{AddFunc: l.nodeChanged, UpdateFunc: l.nodeUpdated, DeleteFunc: l.nodeChanged}},
		{caches.Namespaces, cache.ResourceEventHandlerFuncs{UpdateFunc: l.namespaceUpdated}},
		{caches.Attachments, cache.ResourceEventHandlerFuncs{AddFunc: l.attachmentChanged, DeleteFunc: l.attachmentChanged}},
	} {
		seen, stop, err := clusterwatch.Follow(w.informer, w.handler)
		if err != nil {
			return nil, unwatch, err
		}
		synced, stops = append(synced, seen), append(stops, stop)
	}
	return synced, unwatch, nil
}

func (l *leader) holdChanged(obj any) {
	l.wakeForLost(obj)
	if hold, known := clusterwatch.Object[*v1beta1.NodeMaintenance](obj); known {
		l.queue.Add(hold.Spec.NodeName)
	}
}

// wakeForLost puts the nodes into the queue that the hold may be on, if that cannot be read.
func (l *leader) wakeForLost(obj any) {
	hold, known := clusterwatch.Object[*v1beta1.NodeMaintenance](obj)
	if !known || hold.Spec.NodeName != "" {
		return
	}
	for _, obj := range l.watcher.Caches.Nodes.GetStore().List() {
		if node, isNode := obj.(*corev1.Node); isNode && nodemarks.Annotated(node) {
			l.queue.Add(node.Name)
		}
	}
}

func (l *leader) holdUpdated(old, updated any) {
	if asksAnew(old, updated) || l.statusChanged(old, updated) {
		l.holdChanged(old) // what cannot be read any more need not say which node it is about
		l.holdChanged(updated)
	}
}

// statusChanged says whether somebody else has written the status of the hold.
func (l *leader) statusChanged(old, updated any) bool {
	before, wasHold := old.(*v1beta1.NodeMaintenance)
	after, isHold := updated.(*v1beta1.NodeMaintenance)
	return wasHold && isHold && before.ResourceVersion != after.ResourceVersion && !l.memory.mayBeOurs(after)
}

// asksAnew says whether an update of a hold is more than a write of its status.
func asksAnew(old, updated any) bool {
	before, wasHold := old.(*v1beta1.NodeMaintenance)
	after, isHold := updated.(*v1beta1.NodeMaintenance)
	return wasHold && isHold && (before.UID != after.UID ||
		before.Generation != after.Generation ||
		before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero() ||
		!slices.Equal(before.Finalizers, after.Finalizers) ||
		!apiequality.Semantic.DeepEqual(before.Spec, after.Spec))
}

// nodeChanged puts the node into the queue if it has holds, the annotation of a server, or our conditions or taint
// of a planned maintenance. Other nodes are no concern of the drainer.
func (l *leader) nodeChanged(obj any) {
	node, known := clusterwatch.Object[*corev1.Node](obj)
	if known && (nodemarks.Annotated(node) || len(nodemarks.OurConditions(node)) > 0 || l.nodes.marks.Planned(node) ||
		len(l.watcher.Caches.HoldsOn(node.Name)) > 0) {
		l.queue.Add(node.Name)
	}
}

func (l *leader) nodeUpdated(old, updated any) {
	if differs(old, updated) {
		l.nodeChanged(old) // it may have lost its annotation
		l.nodeChanged(updated)
	}
}

// differs says whether an update of a node changes something that the drainer reads. The kubelet's
// heartbeats do not.
func differs(old, updated any) bool {
	before, wasNode := old.(*corev1.Node)
	after, isNode := updated.(*corev1.Node)
	return wasNode && isNode && (before.UID != after.UID ||
		clusterwatch.NodeDead(before) != clusterwatch.NodeDead(after) || !clusterwatch.ReadyTime(before).Equal(clusterwatch.ReadyTime(after)) ||
		before.Labels[v1beta1.ExcludeFromRemediationLabel] != after.Labels[v1beta1.ExcludeFromRemediationLabel] ||
		before.Annotations[v1beta1.HoldsAnnotation] != after.Annotations[v1beta1.HoldsAnnotation] ||
		!apiequality.Semantic.DeepEqual(before.Spec, after.Spec) ||
		!slices.EqualFunc(nodemarks.OurConditions(before), nodemarks.OurConditions(after), nodemarks.SameCondition))
}

// namespaceUpdated puts all nodes under drain into the queue: a rule of their holds may select by the
// namespace's labels.
func (l *leader) namespaceUpdated(old, updated any) {
	before, wasNamespace := old.(*corev1.Namespace)
	after, isNamespace := updated.(*corev1.Namespace)
	if wasNamespace && isNamespace && !maps.Equal(before.Labels, after.Labels) {
		for _, node := range l.drains.pods.Watched() {
			l.queue.Add(node)
		}
	}
}

// attachmentChanged puts the attachment's node into the queue if it has holds.
func (l *leader) attachmentChanged(obj any) {
	attachment, known := clusterwatch.Object[*storagev1.VolumeAttachment](obj)
	if known && len(l.watcher.Caches.HoldsOn(attachment.Spec.NodeName)) > 0 {
		l.queue.Add(attachment.Spec.NodeName)
	}
}
