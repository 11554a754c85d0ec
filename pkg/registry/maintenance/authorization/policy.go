// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"errors"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenancepolicy"
)

// policies is the resource of the policies, whose authors say what is done at events.
const policies = maintenancepolicy.Plural

// authorizePolicy checks that a user who says what is done at ScheduledEvents may have events: the verb schedule on
// nodes/maintenance of all nodes. What a policy says of events can have machines deleted, and nothing else in a policy can
// do more than let maintenance wait. To take back what it says needs the permission, too: that changes what is done.
func (p *Plugin) authorizePolicy(ctx context.Context, attributes admission.Attributes) error {
	if attributes.GetSubresource() != "" {
		return nil
	}
	policy, _ := attributes.GetObject().(*v1beta1.MaintenancePolicy)
	old, _ := attributes.GetOldObject().(*v1beta1.MaintenancePolicy)
	if policy == nil && old == nil {
		return apierrors.NewInternalError(errors.New("could not tell what the policy is to be"))
	}
	if apiequality.Semantic.DeepEqual(ofEvents(policy), ofEvents(old)) {
		return nil
	}
	name := attributes.GetName()
	if policy != nil {
		name = policy.Name
	}
	question := about(attributes.GetUserInfo(), permission{verb: "schedule", subresource: "maintenance"}, "")
	return p.askOne(ctx, attributes.GetUserInfo(), v1beta1.Resource(policies), name, profileNeed{why: "spec.events", question: question})
}

// ofEvents is what a policy says of events, and of which nodes. It is empty if it says nothing, or there is none.
func ofEvents(policy *v1beta1.MaintenancePolicy) v1beta1.MaintenancePolicySpec {
	if policy == nil || policy.Spec.Events == nil {
		return v1beta1.MaintenancePolicySpec{}
	}
	return v1beta1.MaintenancePolicySpec{NodeSelector: policy.Spec.NodeSelector, Events: policy.Spec.Events}
}

// SharesRoom says whether the user who makes the request leaves room for what others write: who may not create
// MaintenancePolicies, which are for admins. It does so, too, if nobody can tell.
func (p *Plugin) SharesRoom(ctx context.Context) bool {
	requester, found := genericapirequest.UserFrom(ctx)
	return !found || p.askOne(ctx, requester, v1beta1.Resource(policies), "", profileNeed{question: authorizer.AttributesRecord{
		Verb: "create", APIGroup: v1beta1.GroupName, APIVersion: v1beta1.SchemeGroupVersion.Version, Resource: policies,
	}}) != nil
}
