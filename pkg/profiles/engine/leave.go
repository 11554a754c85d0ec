// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// goneAgain is the time when a NodeProfile that is gone is looked at again: the cache may have to show that first.
const goneAgain = time.Second

// leave has a NodeProfile go whose profile is to be on the node no more, as spec.onDetach says.
func (t *term) leave(ctx context.Context, v *view) (moved, stop bool, err error) {
	if v.selected && !v.expired {
		return false, false, nil
	}
	status := &v.nodeProfile.Status
	v.leaves = status.State == v1beta1.ProfileOperational && status.Transition == nil
	if v.leaves && status.Hold == nil && v.hold.Hold == nil {
		return false, true, t.delete(ctx, v)
	}
	releases := t.releases(v)
	v.acts = v.acts || releases
	if v.leaves || !releases {
		return false, false, nil // what is left of the hold is given back next
	}
	if err := t.stop(ctx, v); err != nil {
		return false, false, err
	}
	machine.Reset(&v.next.Status, machine.Cause{Message: leavingMessage(v)}, v.now)
	machine.GiveBack(&v.next.Status)
	return true, false, t.write(ctx, v)
}

// releases says whether the state is forgotten at once: spec.onDetach says so, or nobody would finish it.
func (t *term) releases(v *view) bool {
	return v.expired || v.profile == nil || v.profile.Spec.OnDetach == v1beta1.DetachRelease ||
		v.idleReason == v1beta1.ReasonDryRun && v.profile.DeletionTimestamp != nil
}

func leavingMessage(v *view) string {
	switch {
	case v.expired:
		return "the node does not exist any more"
	case v.profile == nil || v.profile.DeletionTimestamp != nil:
		return "the profile is being deleted"
	default:
		return "the profile selects the node no more"
	}
}

// delete deletes a NodeProfile of which nothing is left to be done.
func (t *term) delete(ctx context.Context, v *view) error {
	v.gone = true
	err := t.config.Maintenance.MaintenanceV1beta1().NodeProfiles().Delete(ctx, v.name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &v.nodeProfile.UID, ResourceVersion: &v.nodeProfile.ResourceVersion},
	})
	return t.settled(v, err)
}

// settled forgets a NodeProfile that our own server says is gone. The profile may select the node again, and the cache may
// have shown already that it is gone.
func (t *term) settled(v *view, err error) error {
	if apierrors.IsNotFound(err) {
		t.latest.Gone(v.name, v.nodeProfile.UID)
		v.gone = true
		t.pairs.note(v.name, v.nodeProfile.Spec)
		t.queue.AddAfter(v.name, goneAgain)
		return nil
	}
	return err
}

// end sees to it that a NodeProfile that is being deleted goes: without a hold, and once its notifications are sent.
func (t *term) end(ctx context.Context, v *view) (moved, stop bool, err error) {
	if v.nodeProfile.DeletionTimestamp == nil {
		return false, false, nil
	}
	v.gone = true
	if err := t.stop(ctx, v); err != nil {
		return false, true, err
	}
	if v.nodeProfile.Status.Hold != nil || v.hold.Hold != nil {
		left, err := t.holds.GiveBack(ctx, v.nodeProfile, false)
		if err != nil || left.Hold != nil {
			return false, true, err
		}
	}
	settled, again := outbox.Settled(v.nodeProfile, v.now)
	if !settled {
		v.lookAt(again)
		return false, true, nil
	}
	return false, true, t.letGo(ctx, v)
}

// letGo takes off the finalizer.
func (t *term) letGo(ctx context.Context, v *view) error {
	left := slices.DeleteFunc(slices.Clone(v.next.Finalizers), func(f string) bool { return f == v1beta1.OutboxFinalizer })
	if len(left) == len(v.next.Finalizers) {
		return nil
	}
	v.next.Finalizers = left
	_, err := t.config.Maintenance.MaintenanceV1beta1().NodeProfiles().Update(ctx, v.next, metav1.UpdateOptions{})
	if err == nil {
		t.latest.Gone(v.name, v.nodeProfile.UID)
		t.admitter.kick()
	}
	return t.settled(v, err)
}
