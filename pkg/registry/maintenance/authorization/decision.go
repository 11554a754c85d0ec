// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// AuthorizeDecision checks that the user may decide on profiles of the node: the verb on nodes/profiles. For requests for
// nodeprofiles/decision, RBAC does not see the node, nor what is decided. nodeProfile is the name of the NodeProfile.
func (p *Plugin) AuthorizeDecision(ctx context.Context, verb, node, nodeProfile string) error {
	requester, found := genericapirequest.UserFrom(ctx)
	if !found {
		return apierrors.NewInternalError(errors.New("could not tell who makes the request"))
	}
	decision, why, err := p.authorizer.Authorize(ctx, about(requester, permission{verb: verb, subresource: "profiles"}, node))
	switch {
	case decision == authorizer.DecisionAllow:
		return nil
	case err != nil:
		return apierrors.NewInternalError(fmt.Errorf("could not find out whether user %q may %s profiles of node %q: %w", requester.GetName(), verb, node, err))
	}
	lacks := fmt.Sprintf("User %q cannot %s resource \"nodes/profiles\" in API group %q named %q", requester.GetName(), verb, v1beta1.GroupName, node)
	if why != "" {
		lacks += ": " + why
	}
	return apierrors.NewForbidden(v1beta1.Resource("nodeprofiles/decision"), nodeProfile, errors.New(lacks))
}
