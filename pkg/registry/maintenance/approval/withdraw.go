// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

// Delete implements rest.GracefulDeleter: it withdraws what the user has decided of the hold.
func (r *REST) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc,
	options *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	by := nodemaintenance.RequestorFrom(ctx)
	found, err := r.hold(ctx, name)
	if apierrors.IsNotFound(err) {
		return nil, false, nothingToWithdraw(name, by)
	}
	if err != nil {
		return nil, false, err
	}
	if err := authorizeWithdrawal(ctx, found, by, validate); err != nil {
		return nil, false, err
	}
	var withdrawn []v1beta1.MaintenanceDecision
	hold, err := r.holds.UpdateApprovals(ctx, name, func(hold *v1beta1.NodeMaintenance) ([]v1beta1.MaintenanceDecision, error) {
		withdrawn = decisionsBy(hold, by)
		return withdraw(hold, by, options.Preconditions)
	}, options.DryRun)
	if err != nil {
		return nil, false, err
	}
	noteInAudit(ctx, hold, withdrawn...)
	return nil, true, nil
}

// authorizeWithdrawal has each decision of the user authorized as if it were made now.
func authorizeWithdrawal(ctx context.Context, hold *v1beta1.NodeMaintenance, by string, validate rest.ValidateObjectFunc) error {
	for _, decision := range decisionsBy(hold, by) {
		if err := validate(ctx, &v1beta1.MaintenanceApproval{
			ObjectMeta: metav1.ObjectMeta{Name: hold.Name}, Policy: decision.Policy, Decision: decision.Decision,
			UID: hold.UID, Generation: decision.Generation, Reason: decision.Reason,
		}); err != nil {
			return err
		}
	}
	return nil
}

// withdraw returns the decisions of the hold without those of the user.
func withdraw(hold *v1beta1.NodeMaintenance, by string, asked *metav1.Preconditions) ([]v1beta1.MaintenanceDecision, error) {
	if len(decisionsBy(hold, by)) == 0 {
		return nil, nothingToWithdraw(hold.Name, by)
	}
	if asked != nil && asked.UID != nil && *asked.UID != hold.UID {
		return nil, conflict(hold, "the precondition is the UID %s, but the NodeMaintenance of this name has the UID %s", *asked.UID, hold.UID)
	}
	if started(hold) {
		return nil, conflict(hold, "it was admitted at %s, and goes on whoever withdraws a decision; to end it, delete it", since(hold))
	}
	return slices.DeleteFunc(decisionsOf(hold), func(decision v1beta1.MaintenanceDecision) bool { return decision.By == by }), nil
}

// nothingToWithdraw is the same answer if there is no hold: who has decided nothing does not learn that.
func nothingToWithdraw(name, by string) error {
	missing := apierrors.NewNotFound(v1beta1.Resource(Resource), name)
	missing.ErrStatus.Message += fmt.Sprintf(": user %q has decided nothing", by)
	return missing
}
