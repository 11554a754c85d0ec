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

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceendpoint"
)

// endpoints is the resource of the endpoints, whose authors decide where the values of Secrets are sent.
const endpoints = maintenanceendpoint.Plural

// authorizeEndpoint checks that a user who has the server send the values of a Secret somewhere may read it themselves: the
// verb get on the Secret. Each change of the spec is asked about, since it may be another address, or other CAs.
func (p *Plugin) authorizeEndpoint(ctx context.Context, attributes admission.Attributes) error {
	if attributes.GetSubresource() != "" || attributes.GetOperation() == admission.Delete || p.secretNamespace == "" {
		return nil
	}
	endpoint, _ := attributes.GetObject().(*maintenance.MaintenanceEndpoint)
	old, _ := attributes.GetOldObject().(*maintenance.MaintenanceEndpoint)
	if endpoint == nil || (old == nil) != (attributes.GetOperation() == admission.Create) {
		return apierrors.NewInternalError(errors.New("could not tell what the endpoint is to be"))
	}
	if endpoint.Spec.SecretRef == nil || old != nil && apiequality.Semantic.DeepEqual(endpoint.Spec, old.Spec) {
		return nil
	}
	return p.askOne(ctx, attributes.GetUserInfo(), maintenance.Resource(endpoints), endpoint.Name, profileNeed{
		why: "spec.secretRef", question: authorizer.AttributesRecord{
			Verb: "get", APIVersion: "v1", Resource: "secrets", Namespace: p.secretNamespace, Name: endpoint.Spec.SecretRef.Name,
		},
	})
}
