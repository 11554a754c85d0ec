// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"

	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// askKeepers asks the gates whether they keep the node from being given back.
func (l *leader) askKeepers(ctx context.Context, v *view) result {
	verdict, err := l.gate.mayGiveBack(ctx, v.node)
	if err != nil {
		return result{err: err}
	}
	v.keeps = verdict.Wait
	if v.keeps == nil {
		return result{}
	}
	return result{again: verdict.Again}
}

// releaseGates calls Release of the gates. While another store's server has the node out of service, they hold
// for it, too, what they hold: so they are called when that server has given the node back.
func (l *leader) releaseGates(ctx context.Context, v *view) result {
	if v.marks.anothers && v.marks.tainted {
		v.memory.unreleased = true
		return result{}
	}
	err := l.gate.release(ctx, v.name)
	v.memory.unreleased = err != nil
	return result{err: err}
}

// noteLeftBehind reports, once for each annotation, that only another store's server may give the node
// back.
func noteLeftBehind(ctx context.Context, v *view) result {
	did := result{gauges: &nodeGauges{leftBehind: true}}
	if annotation := v.node.Annotations[v1beta1.HoldsAnnotation]; v.memory.toldLeftBehind != annotation {
		v.memory.toldLeftBehind = annotation
		klog.FromContext(ctx).Info("Leaving node alone that another server holds", "node", v.name, "storeID", v.marks.note.StoreID)
		did.changes = []change{nodeLeftBehind{node: v.name, storeID: v.marks.note.StoreID}}
	}
	return did
}
