// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// complete finds out which policy the decision is for. Only who may decide for a policy learns that there is one, and
// whether the hold exists.
func (r *REST) complete(ctx context.Context, decided *request, name string) error {
	choose := r.only
	if decided.approval.Policy != "" {
		choose = r.named
	}
	policy, err := choose(ctx, decided, name)
	if err != nil {
		return err
	}
	decided.approval.Policy, decided.allowSelf = policy.Name, policy.Spec.Approvals.AllowSelf
	return nil
}

// named returns the policy that the user has named.
func (r *REST) named(ctx context.Context, decided *request, name string) (*v1beta1.MaintenancePolicy, error) {
	policy := decided.approval.Policy
	if err := r.authorize(ctx, policy, name); err != nil {
		return nil, err
	}
	policies, err := r.asking(ctx, decided, name)
	if err != nil {
		return nil, err
	}
	for i := range policies {
		if policies[i].Name == policy {
			return &policies[i], nil
		}
	}
	return nil, invalid(name, field.ErrorList{field.Invalid(field.NewPath("policy"), policy,
		fmt.Sprintf("does not ask for approvals of maintenance of node %q", decided.node.Name))})
}

// only returns the policy for which the user can decide, if there is only one.
func (r *REST) only(ctx context.Context, decided *request, name string) (*v1beta1.MaintenancePolicy, error) {
	policies, err := r.asking(ctx, decided, name)
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return nil, err
	}
	if policies, err = r.permitted(ctx, policies, name); err != nil {
		return nil, err
	}
	switch len(policies) {
	case 0:
		return nil, nothingToldOf(name, decided.by)
	case 1:
		return &policies[0], nil
	}
	return nil, invalid(name, field.ErrorList{field.Required(field.NewPath("policy"), fmt.Sprintf(
		"more than one asks for approvals of maintenance of node %q: %s", decided.node.Name, namesOf(policies)))})
}

// asking returns the policies that ask for approvals of the hold. It fails with a 404 if there is no hold, and with a
// 409 if there is no node.
func (r *REST) asking(ctx context.Context, decided *request, name string) ([]v1beta1.MaintenancePolicy, error) {
	hold, err := r.hold(ctx, name)
	if err != nil {
		return nil, err
	}
	if decided.node, err = r.node(hold.Spec.NodeName); err != nil {
		return nil, err
	}
	return asking(ctx, r.policies, decided.node)
}

// permitted are those policies for which the user may decide.
func (r *REST) permitted(ctx context.Context, policies []v1beta1.MaintenancePolicy, name string) ([]v1beta1.MaintenancePolicy, error) {
	var permitted []v1beta1.MaintenancePolicy
	for _, policy := range policies {
		switch err := r.authorize(ctx, policy.Name, name); {
		case err == nil:
			permitted = append(permitted, policy)
		case !apierrors.IsForbidden(err):
			return nil, err
		}
	}
	return permitted, nil
}

// nothingToldOf is the same answer whether a hold or its node does not exist, nothing asks for approvals, or somebody
// else must give them.
func nothingToldOf(name, by string) error {
	return apierrors.NewForbidden(v1beta1.Resource(Resource), name, fmt.Errorf(
		"user %q may decide for no policy that asks for approvals of it, or it does not exist; who may decide for a policy learns which if they name it in policy", by))
}

func namesOf(policies []v1beta1.MaintenancePolicy) string {
	names := make([]string, 0, len(policies))
	for _, policy := range policies {
		names = append(names, fmt.Sprintf("%q", policy.Name))
	}
	return strings.Join(names, ", ")
}
