// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

// Create implements rest.NamedCreater: it stores what the user decides. The answer says what was decided on.
func (r *REST) Create(ctx context.Context, name string, obj runtime.Object, validate rest.ValidateObjectFunc,
	options *metav1.CreateOptions,
) (runtime.Object, error) {
	approval, by := obj.(*v1beta1.MaintenanceApproval), nodemaintenance.RequestorFrom(ctx)
	if errs := validation.ValidateMaintenanceApproval(approval, name, by); len(errs) > 0 {
		return nil, invalid(name, errs)
	}
	decided := request{by: by, approval: approval, now: r.clock.Now()}
	if err := r.complete(ctx, &decided, name); err != nil {
		return nil, err
	}
	if err := validate(ctx, approval); err != nil {
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
