// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/clusterwatch"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// nodeWriter is the only part of the drainer that changes nodes: it cordons them, gives them back, and
// sets their conditions.
type nodeWriter struct {
	client kubernetes.Interface
	marks  nodemarks.Marks
	clock  clock.PassiveClock
}

// patch applies the patch, and puts the patched node into v.
func (w nodeWriter) patch(ctx context.Context, v *view, patch *nodemarks.NodePatch) error {
	if patch.Empty() {
		return nil
	}
	body, err := patch.Encode()
	if err != nil {
		return err
	}
	patched, err := w.client.CoreV1().Nodes().Patch(ctx, v.name, types.MergePatchType, body, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("could not patch node %s: %w", v.name, err)
	}
	clusterwatch.TrimNode(patched)
	v.sees(patched)
	klog.FromContext(ctx).Info("Patched node", "node", v.name, "unschedulable", patched.Spec.Unschedulable, "changes", patch.Changes)
	return nil
}

// showPlanned marks a node in service as one whose maintenance may start soon, or takes that mark off it. A cordon takes
// it off in its own patch. It is not set where another one of that key and effect is, nor on a
// node of another store's server. How often it is set is limited, because whoever takes it off may do so again at
// once.
func (w nodeWriter) showPlanned(ctx context.Context, v *view) result {
	taints := w.marks.WithoutPlanned(v.node)
	if v.planned {
		if v.marks.Anothers || nodemarks.HasTaint(v.node.Spec.Taints, w.marks.PlannedTaint()) {
			return result{}
		}
		if wait := v.memory.planned.Wait(w.clock.Now()); wait > 0 {
			return result{again: wait}
		}
		taints = append(taints, w.marks.PlannedTaint())
	}
	if len(taints) == len(v.node.Spec.Taints) {
		return result{}
	}
	patch := nodemarks.NewNodePatch(v.node)
	patch.Spec("taints", taints)
	if err := w.patch(ctx, v, patch); err != nil {
		return result{err: err}
	}
	if v.planned {
		v.memory.planned.Wrote(w.clock.Now())
	}
	return result{}
}

// cordon cordons the node, or repairs a cordon that somebody has changed, and notes whether it is cordoned
// then. It may be so despite an error: when only the list of holds in the annotation could not be updated. The rate of
// repairs is limited, because whoever changes the cordon may do so again at once.
func (w nodeWriter) cordon(ctx context.Context, v *view) result {
	note, err := w.marks.Note(heldByThese(v.Active, v.marks.Note), *v.before)
	if err != nil {
		return result{err: err}
	}
	patch := w.marks.CordonPatch(v.node, v.marks, note)
	if v.cordoned = patch.Empty(); v.cordoned {
		return result{}
	}
	repair := slices.ContainsFunc(v.Active, func(h holdstatus.Hold) bool {
		return apimeta.IsStatusConditionTrue(h.Told.Conditions, v1beta1.ConditionCordoned)
	})
	if wait := v.memory.repairs.Wait(true, w.clock.Now()); repair && wait > 0 {
		v.cordoned = true
		return result{again: wait}
	}
	err = w.patch(ctx, v, patch)
	if v.cordoned = err == nil || len(patch.Changes) == 0; err != nil {
		return result{err: err}
	}
	if repair {
		v.memory.repairs.Wrote(w.clock.Now())
	}
	if len(patch.Changes) == 0 {
		return result{}
	}
	return result{changes: []holdstatus.Change{holdstatus.NodeCordoned{Node: v.name, Holds: v.Active, Changes: patch.Changes, Repair: repair}}}
}

// heldByThese are the holds as the annotation of their node lists them. Of one that cannot be read it says what old says.
func heldByThese(holds []holdstatus.Hold, old nodemarks.HoldsNote) []nodemarks.HeldBy {
	by := []nodemarks.HeldBy{}
	for _, h := range holds {
		lost := h.Unreadable() != ""
		if !h.Cordons() && !lost {
			continue
		}
		entry := old.Entry(h.Name)
		if !lost || entry == nil {
			entry = &nodemarks.HeldBy{
				Name: h.Name, Requestor: text.Escape(h.Spec.Requestor), Reason: text.Escape(h.Spec.Reason), Since: h.CreationTimestamp,
			}
		}
		by = append(by, *entry)
	}
	return by
}

// giveBack gives the node back as it was before.
func (w nodeWriter) giveBack(ctx context.Context, v *view) result {
	if v.situation == holdstatus.Unheld {
		klog.FromContext(ctx).Info("Giving back node that nobody holds", "node", v.name)
	}
	if err := w.patch(ctx, v, w.marks.GiveBackPatch(v.node, *v.ours)); err != nil {
		return result{err: err}
	}
	v.memory.unreleased = v.memory.unreleased || v.situation == holdstatus.Unheld
	return result{changes: []holdstatus.Change{holdstatus.NodeGivenBack{Node: v.name, Holds: v.All(), CordonedBefore: v.ours.Unschedulable}}}
}

// saveConditions brings the node's lifecycle conditions to what is wanted. Those of a node that another
// store's server has marked are left to that one, as its annotation is.
func (w nodeWriter) saveConditions(ctx context.Context, v *view) result {
	if v.marks.Anothers {
		return result{}
	}
	wanted := wantedConditions(v)
	said := conditionsSaid{resourceVersion: v.node.ResourceVersion, wanted: wanted}
	if v.memory.conditions.equal(said) {
		return result{} // written already, and the cache does not show it yet
	}
	patch, err := nodemarks.ConditionsPatch(v.node, wanted, metav1.NewTime(w.clock.Now()))
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

// wantedConditions are the lifecycle conditions of the node. They follow from the statuses of the holds that want it. When
// the drain of selected pods is done, no drain is in progress, but the node is not drained.
func wantedConditions(v *view) nodemarks.NodeConditions {
	switch {
	case v.situation != holdstatus.Wanted && v.marks.Planned:
		return nodemarks.NodeConditions{corev1.NodeMaintenancePlanned: corev1.ConditionTrue}
	case v.situation != holdstatus.Wanted:
		return nil
	}
	var asked, underWay, empty bool
	for _, s := range v.statuses {
		if !s.hold.Drains() {
			continue
		}
		asked = true
		switch holdstatus.ConditionReason(s.status, v1beta1.ConditionDrained) {
		case v1beta1.ReasonNodeEmpty:
			empty = true
		case v1beta1.ReasonSelectedPodsGone, v1beta1.ReasonNoPodSelected:
		default:
			underWay = true
		}
	}
	wanted := nodemarks.NodeConditions{corev1.NodeMaintenanceInProgress: corev1.ConditionTrue}
	if asked {
		wanted[corev1.NodeDrainInProgress] = holdstatus.ConditionStatus(underWay && !empty)
		wanted[corev1.NodeDrained] = holdstatus.ConditionStatus(empty)
	}
	return wanted
}
