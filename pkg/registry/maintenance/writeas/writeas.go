// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package writeas runs admission for an object that is written through another resource, as if it were written through its
// own: policies and webhooks match that.
package writeas

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"
)

// Resource is the resource that an object belongs to.
type Resource struct {
	// Kind is the kind of the object.
	Kind schema.GroupVersionKind
	// Resource is the resource of the kind.
	Resource schema.GroupVersionResource
	// Chain is the server's own admission chain.
	Chain admission.Interface
	// Objects knows the kind.
	Objects admission.ObjectInterfaces
}

// Write is one write of an object.
type Write struct {
	// Operation is what is done.
	Operation admission.Operation
	// Name is the name of the object.
	Name string
	// Object is what is to be stored, and Old what is stored. Nil: there is none, or it is known later.
	Object, Old runtime.Object
	// Options are the options of the request.
	Options runtime.Object
	// DryRun is what they say of a dry run.
	DryRun []string
}

// Attributes are what admission sees of the write, made by the user of the request.
func (r Resource) Attributes(ctx context.Context, w Write) admission.Attributes {
	requester, _ := genericapirequest.UserFrom(ctx)
	return admission.NewAttributesRecord(w.Object, w.Old, r.Kind, "", w.Name, r.Resource, "", w.Operation, w.Options,
		dryrun.IsDryRun(w.DryRun), requester)
}

// Mutate lets admission change the object.
func (r Resource) Mutate(ctx context.Context, attributes admission.Attributes) error {
	mutating, ok := admission.WithAudit(r.Chain).(admission.MutationInterface)
	if !ok || !mutating.Handles(attributes.GetOperation()) {
		return nil
	}
	return mutating.Admit(ctx, attributes, r.Objects)
}

// ValidateCreate runs the request's own admission first.
func (r Resource) ValidateCreate(own rest.ValidateObjectFunc, attributes admission.Attributes) rest.ValidateObjectFunc {
	return both(own, rest.AdmissionToValidateObjectFunc(admission.WithAudit(r.Chain), attributes, r.Objects))
}

// ValidateUpdate runs the request's own admission first.
func (r Resource) ValidateUpdate(own rest.ValidateObjectUpdateFunc, attributes admission.Attributes) rest.ValidateObjectUpdateFunc {
	validate := rest.AdmissionToValidateObjectUpdateFunc(admission.WithAudit(r.Chain), attributes, r.Objects)
	return func(ctx context.Context, object, old runtime.Object) error {
		if own != nil {
			if err := own(ctx, object.DeepCopyObject(), old.DeepCopyObject()); err != nil {
				return err
			}
		}
		return validate(ctx, object.DeepCopyObject(), old.DeepCopyObject())
	}
}

// ValidateDelete runs the request's own admission first.
func (r Resource) ValidateDelete(own rest.ValidateObjectFunc, attributes admission.Attributes) rest.ValidateObjectFunc {
	return both(own, rest.AdmissionToValidateObjectDeleteFunc(admission.WithAudit(r.Chain), attributes, r.Objects))
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
