// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"slices"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// nodeWriter is the only part of the drainer that changes nodes: it cordons them, gives them back, and
// sets their conditions.
type nodeWriter struct {
	client kubernetes.Interface
	marks  marks
	clock  clock.PassiveClock
}

// cordon cordons the node, or repairs a cordon that somebody has changed, and says whether the node is
// cordoned then. It may be cordoned despite an error: when only the list of holds in the annotation
// could not be updated. The rate of repairs is limited, because whoever changes the cordon may do so
// again at once.
func (w nodeWriter) cordon(ctx context.Context, v *view) (cordoned bool, did result) {
	note, err := w.marks.note(v.active, *v.before, v.marks.note)
	if err != nil {
		return false, result{err: err}
	}
	patch := w.marks.cordonPatch(v.node, v.marks, note)
	if patch.empty() {
		return true, result{}
	}
	repair := slices.ContainsFunc(v.active, func(h hold) bool {
		return apimeta.IsStatusConditionTrue(h.told.Conditions, v1beta1.ConditionCordoned)
	})
	if wait := v.memory.repairs.wait(true, w.clock.Now()); repair && wait > 0 {
		return true, result{again: wait}
	}
	if err := w.patch(ctx, v, patch); err != nil {
		return len(patch.changes) == 0, result{err: err}
	}
	if repair {
		v.memory.repairs.wrote(w.clock.Now())
	}
	if len(patch.changes) == 0 {
		return true, result{}
	}
	return true, result{changes: []change{nodeCordoned{node: v.name, holds: v.active, changes: patch.changes, repair: repair}}}
}

// giveBack gives the node back as it was before.
func (w nodeWriter) giveBack(ctx context.Context, v *view) result {
	if v.situation == unheld {
		klog.FromContext(ctx).Info("Giving back node that nobody holds", "node", v.name)
	}
	if err := w.patch(ctx, v, w.marks.giveBackPatch(v.node, *v.ours)); err != nil {
		return result{err: err}
	}
	v.memory.unreleased = v.memory.unreleased || v.situation == unheld
	return result{changes: []change{nodeGivenBack{node: v.name, holds: v.holds(), cordonedBefore: v.ours.Unschedulable}}}
}

// patch applies the patch, and puts the patched node into v.
func (w nodeWriter) patch(ctx context.Context, v *view, patch *nodePatch) error {
	if patch.empty() {
		return nil
	}
	body, err := patch.encode()
	if err != nil {
		return err
	}
	patched, err := w.client.CoreV1().Nodes().Patch(ctx, v.name, types.MergePatchType, body, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("could not patch node %s: %w", v.name, err)
	}
	trimNode(patched)
	v.sees(patched)
	klog.FromContext(ctx).Info("Patched node", "node", v.name, "unschedulable", patched.Spec.Unschedulable, "changes", patch.changes)
	return nil
}

// saveConditions brings the node's lifecycle conditions to what is wanted. Those of a node that another
// store's server has marked are left to that one, as its annotation is.
func (w nodeWriter) saveConditions(ctx context.Context, v *view, wanted nodeConditions) result {
	if v.marks.anothers {
		return result{}
	}
	said := conditionsSaid{resourceVersion: v.node.ResourceVersion, wanted: wanted}
	if v.memory.conditions.equal(said) {
		return result{} // written already, and the cache does not show it yet
	}
	patch, err := conditionsPatch(v.node, wanted, metav1.NewTime(w.clock.Now()))
	if err != nil || patch == nil {
		return result{err: err}
	}
	_, err = w.client.CoreV1().Nodes().Patch(ctx, v.name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if err != nil {
		return result{err: fmt.Errorf("could not patch conditions of node %s: %w", v.name, err)}
	}
	v.memory.conditions = said
	return result{}
}
