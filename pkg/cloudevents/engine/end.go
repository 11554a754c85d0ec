// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// expire deletes an event that ended long ago.
func (t *term) expire(ctx context.Context, v *view) (moved bool, err error) {
	if !v.decision.Expired || v.event.DeletionTimestamp != nil {
		return false, nil
	}
	err = t.client.Delete(ctx, v.name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{
		UID: &v.event.UID, ResourceVersion: &v.event.ResourceVersion,
	}})
	if err != nil && !apierrors.IsNotFound(err) {
		t.latest.Doubt(v.name)
		return false, fmt.Errorf("could not delete a scheduled event that has ended: %w", err)
	}
	return false, nil // the cache is about to show it
}

// letGo takes the finalizer off an event that is being deleted, once everything is withdrawn.
func (t *term) letGo(ctx context.Context, v *view) (moved bool, err error) {
	left := slices.DeleteFunc(slices.Clone(v.event.Finalizers), func(f string) bool { return f == v1beta1.EventFinalizer })
	if !v.decision.Finalized || len(left) == len(v.event.Finalizers) {
		return false, nil
	}
	next := v.event.DeepCopy()
	next.Finalizers = left
	written, err := t.client.Update(ctx, next, metav1.UpdateOptions{})
	if err != nil {
		return false, t.refused(ctx, v, err)
	}
	if len(left) > 0 { // else it is gone, as the cache is about to show
		t.latest.Show(written)
	}
	return false, nil
}
