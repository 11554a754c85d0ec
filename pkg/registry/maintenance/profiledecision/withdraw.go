// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiledecision

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

// Delete implements rest.GracefulDeleter: it withdraws what the user has decided, unless that was done already.
func (r *REST) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc,
	options *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	by := nodemaintenance.RequestorFrom(ctx)
	found, err := r.nodeProfile(ctx, name)
	if apierrors.IsNotFound(err) {
		return nil, false, nothingToWithdraw(name, by)
	}
	if err != nil {
		return nil, false, err
	}
	if err := r.authorizeWithdrawal(ctx, found, by, validate); err != nil {
		return nil, false, err
	}
	var withdrawn []v1beta1.RecordedDecision
	nodeProfile, err := r.update(ctx, name, func(nodeProfile *v1beta1.NodeProfile) ([]v1beta1.RecordedDecision, error) {
		withdrawn = withdrawable(nodeProfile, by)
		return withdraw(nodeProfile, by, options.Preconditions)
	}, options.DryRun)
	if err != nil {
		return nil, false, err
	}
	noteInAudit(ctx, nodeProfile, withdrawn...)
	return nil, true, nil
}

// authorizeWithdrawal has each decision of the user authorized as if it were made now.
func (r *REST) authorizeWithdrawal(ctx context.Context, nodeProfile *v1beta1.NodeProfile, by string, validate rest.ValidateObjectFunc) error {
	for _, decision := range withdrawable(nodeProfile, by) {
		if err := r.authorize(ctx, verbs[decision.Decision], nodeProfile.Spec.NodeName, nodeProfile.Name); err != nil {
			return err
		}
		if err := validate(ctx, &v1beta1.NodeProfileDecision{
			ObjectMeta: metav1.ObjectMeta{Name: nodeProfile.Name}, Decision: decision.Decision, Transition: decision.Transition,
			Sequence: decision.Sequence, UID: nodeProfile.UID, Reason: decision.Reason,
		}); err != nil {
			return err
		}
	}
	return nil
}

// withdraw returns the decisions of the NodeProfile without those of the user that can be withdrawn.
func withdraw(nodeProfile *v1beta1.NodeProfile, by string, asked *metav1.Preconditions) ([]v1beta1.RecordedDecision, error) {
	if len(withdrawable(nodeProfile, by)) == 0 {
		return nil, nothingToWithdraw(nodeProfile.Name, by)
	}
	if asked != nil && asked.UID != nil && *asked.UID != nodeProfile.UID {
		return nil, conflict(nodeProfile, "the precondition is the UID %s, but the NodeProfile of this name has the UID %s", *asked.UID, nodeProfile.UID)
	}
	return slices.DeleteFunc(slices.Clone(nodeProfile.Status.Decisions), withdrawableBy(by)), nil
}

func withdrawable(nodeProfile *v1beta1.NodeProfile, by string) []v1beta1.RecordedDecision {
	mine := withdrawableBy(by)
	return slices.DeleteFunc(slices.Clone(nodeProfile.Status.Decisions), func(d v1beta1.RecordedDecision) bool { return !mine(d) })
}

// withdrawableBy leaves what a transition was begun or ended for: that was done already. An abort is done at once.
func withdrawableBy(by string) func(v1beta1.RecordedDecision) bool {
	return func(d v1beta1.RecordedDecision) bool {
		return d.By == by && d.UsedBy == "" && d.Decision != v1beta1.ProfileAbort
	}
}

// nothingToWithdraw is the same answer if there is no NodeProfile: who has decided nothing does not learn that.
func nothingToWithdraw(name, by string) error {
	missing := apierrors.NewNotFound(v1beta1.Resource(Resource), name)
	missing.ErrStatus.Message += fmt.Sprintf(": user %q has decided nothing that can be withdrawn", by)
	return missing
}
