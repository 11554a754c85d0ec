// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// ensureBefore has every hold that cordons the node write down what it was like before, and
// returns that; nil when none has. One of them must have it before the node is touched; with an
// error besides, others could not write it down, and hold nobody back.
func (d *Drainer) ensureBefore(ctx context.Context, v *view) (*v1beta1.NodeBefore, error) {
	var before *v1beta1.NodeBefore
	var errs []error
	for i, h := range v.active {
		if !h.cordons() || h.recorded(v.node.UID) {
			continue
		}
		if before == nil {
			found, err := d.findBefore(ctx, v)
			if err != nil {
				return nil, err
			}
			before = found
		}
		memory := v.memory.hold(h.UID)
		next := nextStatus(h, memory.draft.of(h), facts{node: v.node.UID, before: before}, d.config.Clock.Now())
		written, err := d.writeStatus(ctx, h, memory, next)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		v.active[i] = written
	}
	before = recordedBefore(lasting(v.active), v.node.UID)
	if before == nil && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("could not record what node %s was like before: the status was not stored", v.name))
	}
	return before, errors.Join(errs...)
}

// findBefore is what the node was like before any of its holds: what another hold has written
// down, or else what the node is like now. Both are asked of the API server where the cache
// does not say, for a stale one could show the node before our own cordon, or miss the hold
// that knows better. A hold that has ended knows only while the node has not been given back.
func (d *Drainer) findBefore(ctx context.Context, v *view) (*v1beta1.NodeBefore, error) {
	if before := recordedBefore(lasting(v.holds()), v.node.UID); before != nil {
		return before, nil
	}
	live, err := d.freshView(ctx, v)
	if err != nil {
		return nil, err
	}
	if before := recordedBefore(lasting(live.holds()), v.node.UID); before != nil {
		return before, nil
	}
	if before := recordedBefore(live.holds(), v.node.UID); before != nil && d.marks.on(v.node, *before) {
		return before, nil
	}
	if before := d.marks.leftBehind(v.node); before != nil {
		return before, nil
	}
	before := d.marks.before(v.node)
	return &before, nil
}

// freshView asks the API server for the node and those who hold it, and notes the node's
// present version for v, too. It fails with errCacheBehind when the node is another one than v
// shows.
func (d *Drainer) freshView(ctx context.Context, v *view) (*view, error) {
	fresh, err := d.freshHolds(ctx, v.name)
	if err != nil {
		return nil, err
	}
	live, err := d.liveNode(ctx, v.name)
	if err != nil {
		return nil, err
	}
	if live == nil || live.UID != v.node.UID {
		return nil, errCacheBehind
	}
	v.memory.latest.wrote(v.node.ResourceVersion, live)
	v.node = live
	result := &view{name: v.name, node: live, memory: v.memory}
	result.active, result.released = newHolds(fresh)
	result.stage = unionStage(result.active)
	return result, nil
}

// freshHolds lists the NodeMaintenances of the node, not from a cache.
func (d *Drainer) freshHolds(ctx context.Context, node string) ([]*v1beta1.NodeMaintenance, error) {
	list, err := d.config.Maintenance.MaintenanceV1beta1().NodeMaintenances().List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector(v1beta1.FieldNodeName, node).String(),
	})
	if err != nil {
		return nil, fmt.Errorf("could not list NodeMaintenances of node %s: %w", node, err)
	}
	holds := make([]*v1beta1.NodeMaintenance, 0, len(list.Items))
	for i := range list.Items {
		holds = append(holds, &list.Items[i])
	}
	return holds, nil
}

// liveNode gets the node, not from a cache; nil when there is none.
func (d *Drainer) liveNode(ctx context.Context, name string) (*corev1.Node, error) {
	node, err := d.config.Kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("could not get node %s: %w", name, err)
	}
	trimNode(node)
	return node, nil
}

// ensureCordon cordons the node, or repairs what somebody undid of it meanwhile, and says whether
// it is cordoned then. With an error it still is when only the list of its holds was to be
// brought up to date. Repairs are spaced, for who undoes them may do so again at once; then it
// returns how long to wait for the next.
func (d *Drainer) ensureCordon(ctx context.Context, v *view, before v1beta1.NodeBefore) (cordoned bool, again time.Duration, err error) {
	note, err := d.marks.note(v.active, before)
	if err != nil {
		return false, 0, err
	}
	patch := d.marks.cordonPatch(v.node, note)
	if patch.empty() {
		return true, 0, nil
	}
	repair := slices.ContainsFunc(v.active, func(h hold) bool {
		return apimeta.IsStatusConditionTrue(h.Status.Conditions, v1beta1.ConditionCordoned)
	})
	if wait := v.memory.repairs.wait(true, d.config.Clock.Now()); repair && wait > 0 {
		return true, wait, nil
	}
	if err := d.patchNode(ctx, v, patch); err != nil {
		return len(patch.changes) == 0, 0, err
	}
	if repair {
		v.memory.repairs.wrote(d.config.Clock.Now())
	}
	switch {
	case len(patch.changes) == 0:
	case repair:
		d.events.onNode(v.name, corev1.EventTypeWarning, eventDriftRepaired,
			"node %s is in maintenance, and somebody changed that: %s again", v.name, strings.Join(patch.changes, ", "))
	default:
		d.events.onBoth(v.name, v.active, corev1.EventTypeNormal, eventNodeCordoned,
			"node %s is cordoned: %s", v.name, strings.Join(patch.changes, ", "))
	}
	return true, 0, nil
}

// patchNode applies the patch and has v show the node as it is then.
func (d *Drainer) patchNode(ctx context.Context, v *view, patch *nodePatch) error {
	if patch.empty() {
		return nil
	}
	body, err := patch.encode()
	if err != nil {
		return err
	}
	patched, err := d.config.Kube.CoreV1().Nodes().Patch(ctx, v.name, types.MergePatchType, body, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("could not patch node %s: %w", v.name, err)
	}
	trimNode(patched)
	v.memory.latest.wrote(v.node.ResourceVersion, patched)
	v.node = patched
	klog.FromContext(ctx).Info("Patched node", "node", v.name, "unschedulable", patched.Spec.Unschedulable, "changes", patch.changes)
	return nil
}
