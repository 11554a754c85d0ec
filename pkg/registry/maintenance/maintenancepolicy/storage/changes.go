// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// specChange finds out whether an update changes the spec.
type specChange struct {
	seen bool
	// before is the policy as it was; nil if the selector stays.
	before *v1beta1.MaintenancePolicy
}

// after looks at the update before the other checks.
func (c *specChange) after(validate rest.ValidateObjectUpdateFunc) rest.ValidateObjectUpdateFunc {
	return func(ctx context.Context, obj, old runtime.Object) error {
		updated, isPolicy := obj.(*v1beta1.MaintenancePolicy)
		before, wasPolicy := old.(*v1beta1.MaintenancePolicy)
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
	if before, ok := deleted.(*v1beta1.MaintenancePolicy); ok && err == nil {
		r.warnOfFreed(ctx, []v1beta1.MaintenancePolicy{*before}, nil)
	}
	return deleted, atOnce, err
}

// DeleteCollection implements rest.CollectionDeleter. It warns of what starts without the policies.
func (r *REST) DeleteCollection(ctx context.Context, validate rest.ValidateObjectFunc,
	options *metav1.DeleteOptions, listOptions *metainternalversion.ListOptions,
) (runtime.Object, error) {
	deleted, err := r.REST.DeleteCollection(ctx, validate, options, listOptions)
	if before, ok := deleted.(*v1beta1.MaintenancePolicyList); ok && err == nil {
		r.warnOfFreed(ctx, before.Items, nil)
	}
	return deleted, err
}

// warnOfFreed warns of maintenance that starts since the policies no longer select its node. after are those of them that
// are not deleted.
func (r *REST) warnOfFreed(ctx context.Context, before, after []v1beta1.MaintenancePolicy) {
	if r.previewer == nil || len(before) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, previewTimeout)
	defer cancel()
	for _, text := range r.previewer.Freed(ctx, copies(before), copies(after)) {
		warning.AddWarning(ctx, "", text)
	}
}

func copies(policies []v1beta1.MaintenancePolicy) []*v1beta1.MaintenancePolicy {
	copied := make([]*v1beta1.MaintenancePolicy, 0, len(policies))
	for i := range policies {
		copied = append(copied, policies[i].DeepCopy())
	}
	return copied
}
