// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// release gives the node back when no hold asks for it any more, and only then lets the holds
// that are being deleted end.
func (d *Drainer) release(ctx context.Context, v *view) (time.Duration, error) {
	if mayBeMarked(v) {
		if err := d.giveBack(ctx, v); err != nil {
			return 0, errors.Join(err, d.saveReleaseError(ctx, v, v.holds(), err))
		}
	}
	// The conditions inform others, no more: a failure to clear them keeps no hold from ending.
	conditionsErr := d.saveConditions(ctx, v.memory, v.node, nil)
	again, err := d.saveStatuses(ctx, v, func(hold) facts { return facts{node: v.node.UID} })
	return again, errors.Join(conditionsErr, err, d.dropFinalizers(ctx, v))
}

// saveReleaseError says on holds why they have not been released: somebody may be waiting for it.
// What must not be written now is written with the next try.
func (d *Drainer) saveReleaseError(ctx context.Context, v *view, holds []hold, cause error) error {
	if againLater(cause) {
		return nil
	}
	var errs []error
	message := bounded(cause.Error(), maxMessageBytes)
	now := metav1.NewTime(d.config.Clock.Now()).Rfc3339Copy()
	for _, h := range holds {
		next := *h.Status.DeepCopy()
		if next.LastError != message {
			next.LastError, next.LastUpdate = message, &now
		}
		_, err := d.saveStatus(ctx, h, v.memory.hold(h.UID), next, true)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// mayBeMarked says whether there is anything to ask the API server about.
func mayBeMarked(v *view) bool {
	return marked(v.node) || len(v.released) > 0 ||
		slices.ContainsFunc(v.active, func(h hold) bool { return h.Status.NodeBefore != nil })
}

// giveBack undoes our marks on the node. Cordon and give-back each are one patch, so a node
// without our marks has been given back already, and a cordon that it has since is another's.
func (d *Drainer) giveBack(ctx context.Context, v *view) error {
	fresh, err := d.freshView(ctx, v)
	if err != nil {
		return err
	}
	if fresh.stage != v1beta1.StageIdle {
		return errCacheBehind
	}
	before := recordedBefore(fresh.holds(), v.node.UID)
	if before == nil {
		before = d.marks.leftBehind(v.node)
	}
	if before != nil && d.marks.on(v.node, *before) {
		return d.undo(ctx, v, *before)
	}
	return nil
}

// undo gives the node back as it was before, and says so.
func (d *Drainer) undo(ctx context.Context, v *view, before v1beta1.NodeBefore) error {
	if err := d.patchNode(ctx, v, d.marks.giveBackPatch(v.node, before)); err != nil {
		return err
	}
	message := "node %s is given back and can be scheduled to"
	if before.Unschedulable {
		message = "node %s is given back; it was cordoned before its maintenance and stays so"
	}
	d.events.onBoth(v.name, v.holds(), corev1.EventTypeNormal, eventNodeUncordoned, message, v.name)
	return nil
}

// dropFinalizers lets the holds end that are being deleted. The caller has made sure that the
// node no longer needs what they know.
func (d *Drainer) dropFinalizers(ctx context.Context, v *view) error {
	var errs []error
	for _, h := range v.released {
		if err := d.dropFinalizer(ctx, v, h); err != nil {
			errs = append(errs, err, d.saveReleaseError(ctx, v, []hold{h}, err))
		}
	}
	return errors.Join(errs...)
}

func (d *Drainer) dropFinalizer(ctx context.Context, v *view, h hold) error {
	changed := h.DeepCopy()
	changed.Finalizers = slices.DeleteFunc(changed.Finalizers, func(f string) bool { return f == v1beta1.UncordonFinalizer })
	written, err := d.config.Maintenance.MaintenanceV1beta1().NodeMaintenances().Update(ctx, changed, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("could not drop finalizer of NodeMaintenance %s: %w", h.Name, err)
	}
	v.memory.hold(h.UID).latest.wrote(h.ResourceVersion, written)
	klog.FromContext(ctx).Info("Ended hold", "nodeMaintenance", h.Name, "node", v.name, "holdsLeft", len(v.active))
	message := "%s ended its hold on node %s"
	if v.stage != v1beta1.StageIdle {
		message += ", which other holds keep in maintenance"
	}
	d.events.onBoth(v.name, []hold{h}, corev1.EventTypeNormal, eventMaintenanceEnded, message, holder(h), v.name)
	return nil
}
