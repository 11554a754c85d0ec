// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machinemaintenance

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/owners"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/writeas"
)

// Create stores a new MachineMaintenance, as the ScheduledEvent that it asks for.
func (r *REST) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	mm, ok := obj.(*managedv1alpha1.MachineMaintenance)
	if !ok {
		return nil, fmt.Errorf("could not create a MachineMaintenance: got %T", obj)
	}
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(genericapirequest.NamespaceValue(ctx), mm); err != nil {
		return nil, err
	}
	if mm.Name == "" && mm.GenerateName != "" {
		// The store would cut it after the namespace.
		mm.Name = names.SimpleNameGenerator.GenerateName(mm.GenerateName)
	}
	asked := newRequest(ctx, mm.Name)
	event, err := newEvent(ctx, mm)
	if err != nil {
		return nil, err
	}
	inner := asked.ofEvents(ctx)
	attributes := r.writeEvents.Attributes(inner, writeas.Write{
		Operation: admission.Create, Name: event.Name, Object: event, Options: options, DryRun: options.DryRun,
	})
	if err := r.writeEvents.Mutate(inner, attributes); err != nil {
		return nil, asked.inOwnWords(err)
	}
	created, err := r.events.Create(inner, event, r.writeEvents.ValidateCreate(ofShown(ctx, validate), attributes), options)
	if err != nil {
		return nil, r.notCreated(ctx, asked, err)
	}
	return asked.shown(created)
}

// newEvent is the event that a new MachineMaintenance asks for.
func newEvent(ctx context.Context, mm *managedv1alpha1.MachineMaintenance) (*v1beta1.ScheduledEvent, error) {
	if errs := managedv1alpha1.Validate(mm); len(errs) > 0 {
		return nil, invalid(mm, errs)
	}
	if mm.Spec.EventCode == "" {
		warning.AddWarning(ctx, "", fmt.Sprintf("spec.eventcode is empty: it is taken for %s, so the node is drained and its machine replaced",
			managedv1alpha1.DefaultCode))
	}
	event := managedv1alpha1.NewEvent(mm)
	event.ManagedFields = owners.OfScheduledEvent(mm.ManagedFields, nil)
	return event, nil
}

func invalid(mm *managedv1alpha1.MachineMaintenance, errs field.ErrorList) error {
	return apierrors.NewInvalid(managedv1alpha1.SchemeGroupVersion.WithKind(managedv1alpha1.Kind).GroupKind(), mm.Name, errs)
}

// notCreated explains that the name is taken by an event that is not shown.
func (r *REST) notCreated(ctx context.Context, asked request, err error) error {
	own := asked.inOwnWords(err)
	if !apierrors.IsAlreadyExists(err) {
		return own
	}
	if _, hidden := r.Get(ctx, asked.name, &metav1.GetOptions{}); !apierrors.IsNotFound(hidden) {
		return own
	}
	return apierrors.NewConflict(managedv1alpha1.Resource(managedv1alpha1.Plural), asked.name, fmt.Errorf(
		"there is a ScheduledEvent %s of another source than %s: choose another name, or delete that event", asked.event, managedv1alpha1.Source))
}

// ofShown has the request's own admission see a MachineMaintenance, in the context of its own request.
func ofShown(ctx context.Context, own rest.ValidateObjectFunc) rest.ValidateObjectFunc {
	if own == nil {
		return nil
	}
	return func(_ context.Context, obj runtime.Object) error {
		mm, err := shownEvent(obj)
		if err != nil {
			return err
		}
		return own(ctx, mm)
	}
}

func shownEvent(obj runtime.Object) (*managedv1alpha1.MachineMaintenance, error) {
	event, ok := obj.(*v1beta1.ScheduledEvent)
	if !ok {
		return nil, fmt.Errorf("expected a ScheduledEvent, got %T", obj)
	}
	mm, is := show(event)
	if !is {
		return nil, fmt.Errorf("ScheduledEvent %s is no MachineMaintenance", event.Name)
	}
	return mm, nil
}
