// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

// Create implements rest.NamedCreater: it stores what the user decides. The answer says what was decided on.
func (r *REST) Create(ctx context.Context, name string, obj runtime.Object, validate rest.ValidateObjectFunc,
	options *metav1.CreateOptions,
) (runtime.Object, error) {
	approval, by := obj.(*maintenance.MaintenanceApproval), nodemaintenance.RequestorFrom(ctx)
	if errs := validation.ValidateMaintenanceApproval(approval, name, by); len(errs) > 0 {
		return nil, invalid(name, errs)
	}
	found, err := r.hold(ctx, name)
	if err != nil {
		return nil, err
	}
	decided := request{by: by, approval: approval, now: r.clock.Now()}
	if err := r.complete(ctx, &decided, found, validate); err != nil {
		return nil, err
	}
	hold, err := r.holds.UpdateApprovals(ctx, name, decided.decide, options.DryRun)
	if err != nil {
		return nil, err
	}
	noteInAudit(ctx, hold, decided.decision(hold))
	answer := approval.DeepCopy()
	answer.Name, answer.ManagedFields = name, nil
	answer.UID, answer.Generation = hold.UID, hold.Generation
	answer.CreationTimestamp = metav1.NewTime(decided.now)
	return answer, nil
}

// complete finds out which policy the decision is for, and has it authorized. A user who names a policy learns nothing
// of it before.
func (r *REST) complete(ctx context.Context, decided *request, hold *maintenance.NodeMaintenance, validate rest.ValidateObjectFunc,
) (err error) {
	if decided.node, err = r.node(hold.Spec.NodeName); err != nil {
		return err
	}
	named := decided.approval.Policy != ""
	if named {
		if err := validate(ctx, decided.approval); err != nil {
			return err
		}
	}
	policies, err := asking(ctx, r.policies, decided.node)
	if err != nil {
		return err
	}
	policy, wrong := choose(policies, decided.approval.Policy, hold.Spec.NodeName)
	if wrong != nil {
		return invalid(hold.Name, field.ErrorList{wrong})
	}
	decided.approval.Policy, decided.allowSelf = policy.Name, policy.Spec.Approvals.AllowSelf
	if named {
		return nil
	}
	return validate(ctx, decided.approval)
}
