// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

// AuthorizeRead checks that the user who makes the request may see the holds of the node. Its error is the
// answer to the request.
type AuthorizeRead func(ctx context.Context, node string) error

// storedHold is the hold that the parameters name, as if its stage were Drain. The answer shows its spec, so
// it needs the permission that shows the holds of the node otherwise.
func (r *DrainPlanREST) storedHold(ctx context.Context, node string, asked *v1beta1.DrainPlanOptions) (*v1beta1.NodeMaintenance, error) {
	if errs := besideHold(asked); len(errs) > 0 {
		return nil, invalidOptions(node, errs)
	}
	if err := r.authorizeRead(ctx, node); err != nil {
		return nil, err
	}
	found, err := r.holds.Get(ctx, asked.Hold, &metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	hold, _ := found.(*v1beta1.NodeMaintenance)
	switch {
	case err != nil, hold == nil, hold.Spec.NodeName != node:
		// The answer does not tell a hold that does not exist from one of another node, which the user may not see.
		return nil, apierrors.NewNotFound(v1beta1.Resource(nodemaintenance.Plural), asked.Hold)
	case hold.DeletionTimestamp != nil:
		return nil, invalidOptions(node, field.ErrorList{field.Invalid(field.NewPath("hold"), asked.Hold, "is being deleted, so it drains nothing")})
	}
	hold.Spec.Stage = v1beta1.StageDrain
	return hold, nil
}

// besideHold refuses the parameters that describe a drain beside the one that names it.
func besideHold(asked *v1beta1.DrainPlanOptions) (errs field.ErrorList) {
	for _, parameter := range []struct {
		name string
		set  bool
	}{
		{"podSelector", asked.PodSelector != ""},
		{"gracePeriodSeconds", asked.GracePeriodSeconds != nil},
		{"unmanagedPods", asked.UnmanagedPods != ""},
		{"emptyDirPods", asked.EmptyDirPods != ""},
	} {
		if parameter.set {
			errs = append(errs, field.Forbidden(field.NewPath(parameter.name), "cannot be combined with hold, whose drain is planned as it is"))
		}
	}
	return errs
}
