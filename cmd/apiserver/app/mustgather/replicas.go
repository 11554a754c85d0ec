// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/mustgather/redact"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
)

// leadership reads the lease that says which replica of the server leads, and the events about it.
func (g *gatherer) leadership(ctx context.Context) error {
	c := g.index.begin("server/leader/", "which replica of our server leads, and who led before")
	g.read(ctx, c, list{
		resource: leaseResource, namespace: g.options.namespace, fieldSelector: "metadata.name=" + serverName,
		folder: c.path, fields: redact.Lease, see: func(object *unstructured.Unstructured) bool {
			var lease coordinationv1.Lease
			if as(object, &lease) {
				c.note("%s leads", ptr.Deref(lease.Spec.HolderIdentity, "nobody"))
			}
			return true
		},
	})
	g.read(ctx, c, list{
		resource: corev1.SchemeGroupVersion.WithResource("events"), namespace: g.options.namespace,
		fieldSelector: "involvedObject.kind=Lease,involvedObject.name=" + serverName,
		together:      c.path + "events", fields: redact.Event, see: func(object *unstructured.Unstructured) bool {
			var event corev1.Event
			return as(object, &event) && !g.isOld(&event)
		},
	})
	return nil
}

// store reads the ID of a store in the cluster. Where there is none, the server stores elsewhere.
func (g *gatherer) store(ctx context.Context) error {
	c := g.index.begin("server/store/", "the ID of the store, if it is the cluster")
	g.read(ctx, c, list{
		resource: clusterstore.StoreKind.GVR(), folder: c.path, fields: redact.Store, see: func(object *unstructured.Unstructured) bool {
			if id, err := clusterstore.DecodeID(object); err == nil {
				c.note("its ID is %s", id)
			}
			return true
		},
	})
	return nil
}
