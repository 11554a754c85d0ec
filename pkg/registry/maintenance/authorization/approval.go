// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// approval is the subresource through which people decide whether a hold may start.
const approval = "approval"

// authorizeApproval checks that the user may decide for the policy: the verb approve on the policy. For requests for
// nodemaintenances/approval, RBAC does not see the policy.
func (p *Plugin) authorizeApproval(ctx context.Context, attributes admission.Attributes) error {
	decided, err := decidedIn(attributes)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	return p.mayApprove(ctx, attributes.GetUserInfo(), decided.Policy, attributes.GetName())
}

// AuthorizeApproval is Validate for a decision that has not been validated yet: errors of its validation tell which
// policies and which NodeMaintenances there are. hold is the name of the NodeMaintenance.
func (p *Plugin) AuthorizeApproval(ctx context.Context, policy, hold string) error {
	requester, found := genericapirequest.UserFrom(ctx)
	if !found {
		return apierrors.NewInternalError(errors.New("could not tell who makes the request"))
	}
	return p.mayApprove(ctx, requester, policy, hold)
}

func (p *Plugin) mayApprove(ctx context.Context, user user.Info, policy, hold string) error {
	decision, why, err := p.authorizer.Authorize(ctx, authorizer.AttributesRecord{
		User: user, Verb: "approve", APIGroup: v1beta1.GroupName, APIVersion: v1beta1.SchemeGroupVersion.Version,
		Resource: "maintenancepolicies", Name: policy, ResourceRequest: true,
	})
	switch {
	case decision == authorizer.DecisionAllow:
		return nil
	case err != nil:
		return apierrors.NewInternalError(fmt.Errorf("could not find out whether user %q may decide for policy %q: %w", user.GetName(), policy, err))
	}
	lacks := fmt.Sprintf("User %q cannot approve resource \"maintenancepolicies\" in API group %q named %q", user.GetName(), v1beta1.GroupName, policy)
	if why != "" {
		lacks += ": " + why
	}
	return apierrors.NewForbidden(v1beta1.Resource(resource+"/"+approval), hold, errors.New(lacks))
}

// decidedIn is the decision that is made, or withdrawn.
func decidedIn(attributes admission.Attributes) (*v1beta1.MaintenanceApproval, error) {
	object := attributes.GetObject()
	if attributes.GetOperation() == admission.Delete {
		object = attributes.GetOldObject()
	}
	decided, ok := object.(*v1beta1.MaintenanceApproval)
	if !ok || decided.Policy == "" {
		return nil, errors.New("could not tell which policy the decision is for")
	}
	return decided, nil
}
