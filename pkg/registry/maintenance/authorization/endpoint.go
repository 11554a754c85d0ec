// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"errors"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceendpoint"
)

// endpoints is the resource of the endpoints, whose authors decide where the values of Secrets are sent.
const endpoints = maintenanceendpoint.Plural

// authorizeEndpoint checks that a user who has the server send the values of a Secret somewhere may read it themselves: the
// verb get on the Secret. Each change of the spec is asked about, since it may be another address, or other CAs.
func (p *Plugin) authorizeEndpoint(ctx context.Context, attributes admission.Attributes) error {
	if attributes.GetSubresource() != "" || attributes.GetOperation() == admission.Delete {
		return nil
	}
	endpoint, _ := attributes.GetObject().(*v1beta1.MaintenanceEndpoint)
	old, _ := attributes.GetOldObject().(*v1beta1.MaintenanceEndpoint)
	if endpoint == nil || (old == nil) != (attributes.GetOperation() == admission.Create) {
		return apierrors.NewInternalError(errors.New("could not tell what the endpoint is to be"))
	}
	if endpoint.Spec.SecretRef == nil || old != nil && apiequality.Semantic.DeepEqual(endpoint.Spec, old.Spec) {
		return nil
	}
	if p.secretNamespace == "" {
		return apierrors.NewInvalid(v1beta1.SchemeGroupVersion.WithKind("MaintenanceEndpoint").GroupKind(), endpoint.Name,
			field.ErrorList{field.Forbidden(field.NewPath("spec", "secretRef"),
				"this server reads no Secrets: have the admin name their namespace (the chart's value profiles.secretNamespace, the flag --secret-namespace)")})
	}
	return p.mayReadSecret(ctx, attributes.GetUserInfo(), endpoint.Name, endpoint.Spec.SecretRef.Name)
}

func (p *Plugin) mayReadSecret(ctx context.Context, author user.Info, endpoint, secret string) error {
	return p.askOne(ctx, author, v1beta1.Resource(endpoints), endpoint, profileNeed{
		why: "spec.secretRef", question: authorizer.AttributesRecord{
			Verb: "get", APIVersion: "v1", Resource: "secrets", Namespace: p.secretNamespace, Name: secret,
		},
	})
}

// VouchForEndpoint asks again whether the author of a stored endpoint may read its Secret. The error is a 403 if not, and
// another one if nobody can tell.
func (p *Plugin) VouchForEndpoint(ctx context.Context, endpoint *v1beta1.MaintenanceEndpoint) error {
	author := endpoint.Status.Author
	if author == nil {
		return apierrors.NewForbidden(v1beta1.Resource(endpoints), endpoint.Name,
			errors.New("nobody vouches for its Secret, since an earlier version stored it: change its spec, or create it again"))
	}
	return p.mayReadSecret(ctx, userOf(author), endpoint.Name, endpoint.Spec.SecretRef.Name)
}

func userOf(author *v1beta1.Author) user.Info {
	return &user.DefaultInfo{Name: author.Username, UID: author.UID, Groups: author.Groups}
}
