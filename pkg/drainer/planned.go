// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// plannedSoon says whether the node is to be marked: a hold waits to take it out of service, and may do so soon.
func (l *leader) plannedSoon(v *view) bool {
	waits := slices.ContainsFunc(v.active, func(h hold) bool { return h.waits() && !h.cordons() })
	return waits && l.config.Admission != nil && l.config.Admission.Planned(v.name)
}

// showPlanned marks a node in service as one whose maintenance may start soon, or takes these marks off it. A cordon
// takes them off in its own patches.
func (w nodeWriter) showPlanned(ctx context.Context, v *view, planned bool) result {
	did := w.markPlanned(ctx, v, planned)
	var wanted nodeConditions
	if v.marks.planned {
		wanted = nodeConditions{corev1.NodeMaintenancePlanned: corev1.ConditionTrue}
	}
	did.add(w.saveConditions(ctx, v, wanted))
	return did
}

// markPlanned sets the taint, or takes it off. It is not set where another one of that key and effect is, nor on a
// node of another store's server. How often it is set is limited, because whoever takes it off may do so again at
// once.
func (w nodeWriter) markPlanned(ctx context.Context, v *view, planned bool) result {
	taints := w.marks.withoutPlanned(v.node)
	if planned {
		if v.marks.anothers || hasTaint(v.node.Spec.Taints, w.marks.plannedTaint()) {
			return result{}
		}
		if wait := v.memory.planned.wait(w.clock.Now()); wait > 0 {
			return result{again: wait}
		}
		taints = append(taints, w.marks.plannedTaint())
	}
	if len(taints) == len(v.node.Spec.Taints) {
		return result{}
	}
	patch := newNodePatch(v.node)
	patch.spec("taints", taints)
	if err := w.patch(ctx, v, patch); err != nil {
		return result{err: err}
	}
	if planned {
		v.memory.planned.wrote(w.clock.Now())
	}
	return result{}
}
