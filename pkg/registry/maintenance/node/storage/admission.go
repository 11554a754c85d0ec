// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// holdAdmission runs admission for a NodeMaintenance that is written through nodes/maintenance, as if
// it were written through nodemaintenances: policies and webhooks match that resource.
type holdAdmission struct {
	chain   admission.Interface
	objects admission.ObjectInterfaces
}

func (a holdAdmission) attributes(ctx context.Context, hold *maintenance.NodeMaintenance, operation admission.Operation,
	options runtime.Object, dryRun []string,
) admission.Attributes {
	requester, _ := genericapirequest.UserFrom(ctx)
	var object runtime.Object
	if operation == admission.Create {
		object = hold
	}
	return admission.NewAttributesRecord(object, nil, v1beta1.SchemeGroupVersion.WithKind("NodeMaintenance"), "", hold.Name,
		v1beta1.SchemeGroupVersion.WithResource("nodemaintenances"), "", operation, options, dryrun.IsDryRun(dryRun), requester)
}

// mutate lets admission change the hold.
func (a holdAdmission) mutate(ctx context.Context, attributes admission.Attributes) error {
	mutating, ok := admission.WithAudit(a.chain).(admission.MutationInterface)
	if !ok || !mutating.Handles(attributes.GetOperation()) {
		return nil
	}
	return mutating.Admit(ctx, attributes, a.objects)
}

// validateCreate runs the request's own admission first.
func (a holdAdmission) validateCreate(own rest.ValidateObjectFunc, attributes admission.Attributes) rest.ValidateObjectFunc {
	return both(own, rest.AdmissionToValidateObjectFunc(admission.WithAudit(a.chain), attributes, a.objects))
}

// validateDelete runs the request's own admission first.
func (a holdAdmission) validateDelete(own rest.ValidateObjectFunc, attributes admission.Attributes) rest.ValidateObjectFunc {
	return both(own, rest.AdmissionToValidateObjectDeleteFunc(admission.WithAudit(a.chain), attributes, a.objects))
}

func both(first, second rest.ValidateObjectFunc) rest.ValidateObjectFunc {
	return func(ctx context.Context, object runtime.Object) error {
		if first != nil {
			if err := first(ctx, object.DeepCopyObject()); err != nil {
				return err
			}
		}
		return second(ctx, object.DeepCopyObject())
	}
}
