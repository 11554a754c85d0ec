// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"context"
	"errors"
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/mustgather/redact"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The namespaces of the leases that say who may touch a node: those of medik8s, and those of KubeVirt's
// operator. The kubelets' heartbeats are in a third.
const (
	medik8sLeases   = "medik8s-leases"
	kubevirtLeases  = "node-maintenance"
	heartbeatLeases = corev1.NamespaceNodeLease
)

var (
	nodeResource  = corev1.SchemeGroupVersion.WithResource("nodes")
	stateResource = v1beta1.SchemeGroupVersion.WithResource("nodes")
	leaseResource = coordinationv1.SchemeGroupVersion.WithResource("leases")
)

// drainTaints are those that a node in maintenance has, ours or KubeVirt's.
var drainTaints = []string{v1beta1.DrainTaint, "kubevirt.io/drain"}

// holds reads the NodeMaintenances under each name. The same object has the same uid under all.
func (g *gatherer) holds(ctx context.Context) error {
	c := g.index.begin("nodemaintenances/", "NodeMaintenances under every name that is served, by group")
	told := sets.Set[types.UID]{}
	for _, served := range holdVersions {
		if !g.serves(served.GroupVersion) {
			c.note("%s is not served by this cluster", served.GroupVersion)
			continue
		}
		group, _, _ := strings.Cut(served.GroupVersion, "/")
		resource := schema.GroupVersionResource{Group: group, Version: served.Version, Resource: "nodemaintenances"}
		g.read(ctx, c, list{resource: resource, folder: c.path + group + "/", fields: redact.Hold, see: func(object *unstructured.Unstructured) bool {
			g.tellHold(c, object, told)
			return true
		}})
	}
	return nil
}

func (g *gatherer) tellHold(c *chapter, object *unstructured.Unstructured, told sets.Set[types.UID]) {
	node, _, _ := unstructured.NestedString(object.Object, "spec", "nodeName")
	if node != "" {
		g.held.Insert(node)
	}
	if told.Has(object.GetUID()) && object.GetUID() != "" {
		return
	}
	told.Insert(object.GetUID())
	var hold v1beta1.NodeMaintenance
	if !as(object, &hold) {
		c.note("%s has an unexpected form, and is not in timeline.txt", object.GetName())
		return
	}
	g.story.Hold(&hold)
}

// nodes reads every node, and finds out which are in maintenance.
func (g *gatherer) nodes(ctx context.Context) error {
	c := g.index.begin("nodes/", "every node")
	marked := sets.Set[string]{}
	g.read(ctx, c, list{resource: nodeResource, folder: c.path, fields: redact.Node, see: func(object *unstructured.Unstructured) bool {
		var node corev1.Node
		if !as(object, &node) {
			c.note("%s has an unexpected form, so that little of it is told", object.GetName())
		}
		if g.held.Has(object.GetName()) || isMarked(&node) {
			marked.Insert(object.GetName())
			node.Name = object.GetName()
			g.story.Node(&node)
		}
		return true
	}})
	if g.story.NodesUnread = len(c.missing) > 0; g.story.NodesUnread {
		g.held = g.held.Union(marked) // a node that a hold names may be there
	} else {
		g.held = marked
	}
	return nil
}

// isMarked reports whether a node has a mark of maintenance, although no hold may name it.
func isMarked(node *corev1.Node) bool {
	return node.Annotations[v1beta1.HoldsAnnotation] != "" || slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
		return slices.Contains(drainTaints, taint.Key)
	})
}

func (g *gatherer) states(ctx context.Context) error {
	c := g.index.begin("nodestates/", "what our server says of each node, and who holds it")
	g.read(ctx, c, list{resource: stateResource, folder: c.path, fields: redact.Hold})
	return nil
}

// plans reads what a drain of each node in maintenance would do now.
func (g *gatherer) plans(ctx context.Context) error {
	c := g.index.begin("drainplans/", "what a drain of each node in maintenance would do now with each pod")
	g.eachHeld(c, func(node string) bool {
		return g.readOne(ctx, c, one{resource: stateResource, name: node, subresource: "drainplan", folder: c.path, fields: redact.Hold})
	})
	return nil
}

// leases reads who has the leases of nodes, and when the nodes in maintenance last showed that they live.
func (g *gatherer) leases(ctx context.Context) error {
	c := g.index.begin("leases/", "leases that say who may touch a node, and heartbeats of the nodes in maintenance")
	for _, namespace := range []string{medik8sLeases, kubevirtLeases} {
		g.read(ctx, c, list{resource: leaseResource, namespace: namespace, folder: c.path, fields: redact.Lease, see: g.tellLease})
	}
	g.eachHeld(c, func(node string) bool {
		return g.readOne(ctx, c, one{resource: leaseResource, namespace: heartbeatLeases, name: node, folder: c.path, fields: redact.Lease})
	})
	return nil
}

// eachHeld reads something of each node in maintenance, until read says not to go on.
func (g *gatherer) eachHeld(c *chapter, read func(node string) bool) {
	for _, node := range sets.List(g.held) {
		if !read(node) {
			c.note("after %s was not answered, nothing was asked of the nodes that come after it", node)
			return
		}
	}
}

func (g *gatherer) tellLease(object *unstructured.Unstructured) bool {
	var lease coordinationv1.Lease
	if node := strings.TrimPrefix(object.GetName(), "node-"); as(object, &lease) {
		if g.held.Has(object.GetName()) {
			node = object.GetName()
		}
		if g.held.Has(node) { // leases of other nodes say nothing of a maintenance
			g.story.Lease(node, &lease)
		}
	}
	return true
}

// one says which object to read, and what of it to keep.
type one struct {
	resource                     schema.GroupVersionResource
	namespace, name, subresource string
	folder                       string
	fields                       redact.Fields
}

// readOne is read for one object.
func (g *gatherer) readOne(ctx context.Context, c *chapter, o one) bool {
	var object *unstructured.Unstructured
	err := g.ask(ctx, func(ctx context.Context) (err error) {
		var below []string
		if o.subresource != "" {
			below = []string{o.subresource}
		}
		object, err = g.dynamic.Resource(o.resource).Namespace(o.namespace).Get(ctx, o.name, metav1.GetOptions{}, below...)
		return err
	})
	if err == nil {
		err = g.keep(c, list{folder: o.folder, fields: o.fields}, 0, []unstructured.Unstructured{*object})
	}
	if err != nil {
		c.failed(o.name, err)
	}
	return !errors.Is(err, errNoAnswer)
}
