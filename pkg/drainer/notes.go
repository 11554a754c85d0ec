// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"slices"

	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// noteUnread reports, once for each set of them, which holds on the node cannot be read.
func noteUnread(_ context.Context, v *view) result {
	if slices.Equal(v.Unread, v.memory.toldUnread) {
		return result{}
	}
	v.memory.toldUnread = v.Unread
	if len(v.Unread) == 0 {
		return result{}
	}
	return result{changes: []holdstatus.Change{holdstatus.NodeUnread{Node: v.name, Holds: v.Unread}}}
}

// noteLeftBehind reports, once for each annotation, that only another store's server may give the node
// back.
func noteLeftBehind(ctx context.Context, v *view) result {
	did := result{gauges: &nodeGauges{leftBehind: true}}
	if annotation := v.node.Annotations[v1beta1.HoldsAnnotation]; v.memory.toldLeftBehind != annotation {
		v.memory.toldLeftBehind = annotation
		klog.FromContext(ctx).Info("Leaving node alone that another server holds", "node", v.name, "storeID", v.marks.Note.StoreID)
		did.changes = []holdstatus.Change{holdstatus.NodeLeftBehind{Node: v.name, StoreID: v.marks.Note.StoreID}}
	}
	return did
}
