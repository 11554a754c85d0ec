// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// ChangeApprovals returns the decisions that a hold is to have, in place of those that it has. It changes neither.
type ChangeApprovals func(hold *v1beta1.NodeMaintenance) ([]v1beta1.MaintenanceDecision, error)

// UpdateApprovals changes the decisions in the status of a hold. If somebody else changes the hold meanwhile, change is
// asked again, so what it returns is stored beside exactly the hold that it has seen. Its error is returned as it is.
func (r *REST) UpdateApprovals(ctx context.Context, name string, change ChangeApprovals, dryRun []string) (*v1beta1.NodeMaintenance, error) {
	store := *r.Store
	store.UpdateStrategy = resource.Decided(store.UpdateStrategy)
	changed := func(_ context.Context, _, old runtime.Object) (runtime.Object, error) {
		hold, ok := old.DeepCopyObject().(*v1beta1.NodeMaintenance)
		if !ok {
			return nil, fmt.Errorf("could not decide on a NodeMaintenance: got %T", old)
		}
		approvals, err := change(hold)
		setApprovals(hold, approvals)
		return hold, err
	}
	stored, _, err := store.Update(ctx, name, rest.DefaultUpdatedObjectInfo(nil, changed), rest.ValidateAllObjectFunc,
		rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{DryRun: dryRun})
	if err != nil {
		return nil, err
	}
	r.wrote(dryRun, stored)
	return stored.(*v1beta1.NodeMaintenance), nil
}

// setApprovals leaves no empty status.admission behind.
func setApprovals(hold *v1beta1.NodeMaintenance, approvals []v1beta1.MaintenanceDecision) {
	admission := ptr.Deref(hold.Status.Admission, v1beta1.MaintenanceAdmission{})
	admission.Approvals = approvals
	hold.Status.Admission = nil
	if !apiequality.Semantic.DeepEqual(admission, v1beta1.MaintenanceAdmission{}) {
		hold.Status.Admission = &admission
	}
}
