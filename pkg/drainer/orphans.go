// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// reclaim deals with a node that nobody holds. One that carries both our marks was left behind,
// by a store that was lost or put back to an older state: it is given back as its annotation
// says, since nothing else is left to say it. One that another store's server marked is not ours
// to touch.
func (d *Drainer) reclaim(ctx context.Context, v *view) error {
	switch {
	case v.node == nil:
		d.memory.forget(v.name)
		return nil
	case !annotated(v.node):
		return d.given(ctx, v)
	case !drainTainted(v.node):
		d.memory.forget(v.name)
		return nil
	}
	if note := readNote(v.node); note.StoreID != d.config.StoreID {
		d.leaveBehind(ctx, v, note)
		return nil
	}
	fresh, err := d.freshView(ctx, v)
	if err != nil {
		return err
	}
	if len(fresh.holds()) > 0 {
		return errCacheBehind
	}
	if before := d.marks.leftBehind(v.node); before != nil {
		klog.FromContext(ctx).Info("Giving back node that nobody holds", "node", v.name)
		if err := d.undo(ctx, v, *before); err != nil {
			return err
		}
	}
	return d.given(ctx, v)
}

// given deals with a node that was given back, or never taken. It says no more that it is in
// maintenance, even if that could not be taken back at the time.
func (d *Drainer) given(ctx context.Context, v *view) error {
	if err := d.saveConditions(ctx, v.memory, v.node, nil); err != nil {
		return err
	}
	d.memory.forget(v.name)
	return nil
}

// leaveBehind says, once for each annotation, that the node waits for another server.
func (d *Drainer) leaveBehind(ctx context.Context, v *view, note holdsNote) {
	v.memory.gauges.replace(nodeGauges{leftBehind: true})
	if v.memory.noted == v.node.Annotations[v1beta1.HoldsAnnotation] {
		return
	}
	v.memory.noted = v.node.Annotations[v1beta1.HoldsAnnotation]
	klog.FromContext(ctx).Info("Leaving node alone that another server holds", "node", v.name, "storeID", note.StoreID)
	d.events.onNode(v.name, corev1.EventTypeWarning, eventNodeLeftBehind,
		"node %s was cordoned by another maintenance server (store %q), which this one does not know: "+
			"if that server is gone, uncordon the node, and remove the taint %s, the label %s and the annotation %s by hand",
		v.name, note.StoreID, v1beta1.DrainTaint, v1beta1.ExcludeFromRemediationLabel, v1beta1.HoldsAnnotation)
}
