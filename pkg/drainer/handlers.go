// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func (d *Drainer) addHandlers() error {
	return errors.Join(
		d.caches.handle("nodemaintenances", d.caches.holds, cache.ResourceEventHandlerFuncs{
			AddFunc: d.holdChanged,
			UpdateFunc: func(old, updated any) {
				if asksAnew(old, updated) {
					d.holdChanged(updated)
				}
			},
			DeleteFunc: d.holdChanged,
		}),
		d.caches.handle("nodes", d.caches.nodes, cache.ResourceEventHandlerFuncs{
			AddFunc: d.nodeChanged,
			UpdateFunc: func(old, updated any) {
				if differs(old, updated) {
					d.nodeChanged(old) // it may have lost its annotation
					d.nodeChanged(updated)
				}
			},
			DeleteFunc: d.nodeChanged,
		}),
		d.caches.handle("poddisruptionbudgets", d.caches.budgets, cache.ResourceEventHandlerFuncs{
			AddFunc:    d.budgetChanged,
			UpdateFunc: func(_, updated any) { d.budgetChanged(updated) },
			DeleteFunc: d.budgetDeleted,
		}),
		d.caches.handle("namespaces", d.caches.namespaces, cache.ResourceEventHandlerFuncs{
			UpdateFunc: d.namespaceChanged,
		}),
		d.caches.handle("volumeattachments", d.caches.attachments, cache.ResourceEventHandlerFuncs{
			AddFunc: d.attachmentChanged, DeleteFunc: d.attachmentChanged,
		}),
	)
}

func (d *Drainer) holdChanged(obj any) {
	if hold, known := object[*v1beta1.NodeMaintenance](obj); known {
		d.queue.Add(hold.Spec.NodeName)
	}
}

// asksAnew says whether an update of a hold is more than our own write of its status.
func asksAnew(old, updated any) bool {
	before, wasHold := old.(*v1beta1.NodeMaintenance)
	after, isHold := updated.(*v1beta1.NodeMaintenance)
	return wasHold && isHold && (before.UID != after.UID ||
		before.Generation != after.Generation ||
		before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero() ||
		!slices.Equal(before.Finalizers, after.Finalizers) ||
		!apiequality.Semantic.DeepEqual(before.Spec, after.Spec))
}

// nodeChanged leaves alone the nodes that nobody holds and that no server has marked or speaks of.
func (d *Drainer) nodeChanged(obj any) {
	node, known := object[*corev1.Node](obj)
	if known && (annotated(node) || len(ourConditions(node)) > 0 || len(d.caches.holdsOn(node.Name)) > 0) {
		d.queue.Add(node.Name)
	}
}

// differs says whether an update of a node touches what the engine looks at; heartbeats do not.
func differs(old, updated any) bool {
	before, wasNode := old.(*corev1.Node)
	after, isNode := updated.(*corev1.Node)
	return wasNode && isNode && (before.UID != after.UID ||
		nodeDead(before) != nodeDead(after) ||
		before.Labels[v1beta1.ExcludeFromRemediationLabel] != after.Labels[v1beta1.ExcludeFromRemediationLabel] ||
		before.Annotations[v1beta1.HoldsAnnotation] != after.Annotations[v1beta1.HoldsAnnotation] ||
		!apiequality.Semantic.DeepEqual(before.Spec, after.Spec) ||
		!slices.EqualFunc(ourConditions(before), ourConditions(after), sameCondition))
}

// nodeDead says whether the node's kubelet does not report, or reports that it cannot run pods.
func nodeDead(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status != corev1.ConditionTrue
		}
	}
	return true
}

func (d *Drainer) budgetChanged(obj any) {
	if pdb, known := object[*policyv1.PodDisruptionBudget](obj); known {
		d.budgets.set(pdb, d.config.Clock.Now())
		d.budgetMoved(pdb.Namespace)
	}
}

func (d *Drainer) budgetDeleted(obj any) {
	if pdb, known := object[*policyv1.PodDisruptionBudget](obj); known {
		d.budgets.remove(types.NamespacedName{Namespace: pdb.Namespace, Name: pdb.Name})
		d.budgetMoved(pdb.Namespace)
	}
}

// budgetMoved has evictions posted at once that a budget now allows, and the nodes that wait
// for evictions in its namespace report anew.
func (d *Drainer) budgetMoved(namespace string) {
	d.dispatcher.nudge()
	for _, node := range d.dispatcher.waitingIn(namespace) {
		d.queue.Add(node)
	}
}

// namespaceChanged has the drains looked at whose rules may ask for the namespace's labels.
func (d *Drainer) namespaceChanged(old, updated any) {
	before, wasNamespace := old.(*corev1.Namespace)
	after, isNamespace := updated.(*corev1.Namespace)
	if wasNamespace && isNamespace && !maps.Equal(before.Labels, after.Labels) {
		for _, node := range d.pods.watched() {
			d.queue.Add(node)
		}
	}
}

// attachmentChanged leaves alone the nodes that nobody holds.
func (d *Drainer) attachmentChanged(obj any) {
	attachment, known := object[*storagev1.VolumeAttachment](obj)
	if known && len(d.caches.holdsOn(attachment.Spec.NodeName)) > 0 {
		d.queue.Add(attachment.Spec.NodeName)
	}
}
