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

// AuthorizeRead checks that the user who makes the request may get nodes/maintenance of the node. It is for
// answers of other resources that show a hold. It fails with a 403 that names the permission, and with a
// 500 if the permission cannot be checked.
func (p *Plugin) AuthorizeRead(ctx context.Context, node string) error {
	user, found := genericapirequest.UserFrom(ctx)
	if !found {
		return apierrors.NewInternalError(errors.New("could not tell who makes the request"))
	}
	get := permission{verb: "get", subresource: "maintenance"}
	decision, why, err := p.authorizer.Authorize(ctx, about(user, get, node))
	switch {
	case decision == authorizer.DecisionAllow:
		return nil
	case err != nil:
		return apierrors.NewInternalError(fmt.Errorf("could not find out whether user %q may see the holds on node %q: %w", user.GetName(), node, err))
	}
	lacks := fmt.Sprintf("User %q cannot get resource \"nodes/maintenance\" in API group %q, which the parameter hold asks for", user.GetName(), v1beta1.GroupName)
	if why != "" {
		lacks += ": " + why
	}
	return apierrors.NewForbidden(v1beta1.Resource("nodes/maintenance"), node, errors.New(lacks))
}
