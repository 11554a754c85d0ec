// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// specChange finds out whether an update changes the spec.
type specChange struct {
	seen bool
	// before is the policy as it was; nil if the selector stays.
	before *maintenance.MaintenancePolicy
}

// after looks at the update before the other checks.
func (c *specChange) after(validate rest.ValidateObjectUpdateFunc) rest.ValidateObjectUpdateFunc {
	return func(ctx context.Context, obj, old runtime.Object) error {
		updated, isPolicy := obj.(*maintenance.MaintenancePolicy)
		before, wasPolicy := old.(*maintenance.MaintenancePolicy)
		c.seen, c.before = isPolicy && wasPolicy && updated.Generation != before.Generation, nil
		if c.seen && !apiequality.Semantic.DeepEqual(updated.Spec.NodeSelector, before.Spec.NodeSelector) {
			c.before = before.DeepCopy()
		}
		if validate == nil {
			return nil
		}
		return validate(ctx, obj, old)
	}
}

// Delete implements rest.GracefulDeleter. It warns of what starts without the policy.
func (r *REST) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc,
	options *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	deleted, atOnce, err := r.REST.Delete(ctx, name, validate, options)
	if before, ok := deleted.(*maintenance.MaintenancePolicy); ok && err == nil {
		r.warnOfFreed(ctx, before, nil)
	}
	return deleted, atOnce, err
}

// warnOfFreed warns of maintenance that starts since the policy no longer selects its node. after is nil if the policy
// is deleted.
func (r *REST) warnOfFreed(ctx context.Context, before *maintenance.MaintenancePolicy, after runtime.Object) {
	if r.previewer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, previewTimeout)
	defer cancel()
	var next *v1beta1.MaintenancePolicy
	if updated, ok := after.(*maintenance.MaintenancePolicy); ok {
		if next = external(ctx, updated); next == nil {
			return
		}
	}
	was := external(ctx, before)
	if was == nil {
		return
	}
	for _, text := range r.previewer.Freed(ctx, was, next) {
		warning.AddWarning(ctx, "", text)
	}
}
