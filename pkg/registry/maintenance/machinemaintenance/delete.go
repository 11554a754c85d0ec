// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machinemaintenance

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/writeas"
)

// Delete implements rest.GracefulDeleter. What the event has begun is withdrawn before the object is gone.
func (r *REST) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, bool, error) {
	asked := newRequest(ctx, name)
	if options == nil {
		options = &metav1.DeleteOptions{}
	}
	options = options.DeepCopy()
	options.Preconditions = ofEvent(options.Preconditions)
	deleted, gone, err := r.events.Delete(asked.ofEvents(ctx), asked.event, r.validateDelete(ctx, asked, validate, options), options)
	if err != nil {
		return nil, false, asked.inOwnWords(err)
	}
	mm, err := asked.shown(deleted)
	return mm, gone, err
}

// validateDelete checks that the event is a MachineMaintenance, and has it pass both admissions.
func (r *REST) validateDelete(ctx context.Context, asked request, own rest.ValidateObjectFunc, options *metav1.DeleteOptions) rest.ValidateObjectFunc {
	return func(inner context.Context, obj runtime.Object) error {
		event, ok := obj.(*v1beta1.ScheduledEvent)
		if !ok {
			return fmt.Errorf("could not delete a MachineMaintenance: got %T", obj)
		}
		if _, is := show(event); !is {
			return asked.notFound()
		}
		attributes := r.writeEvents.Attributes(inner, writeas.Write{
			Operation: admission.Delete, Name: event.Name, Options: options, DryRun: options.DryRun,
		})
		return r.writeEvents.ValidateDelete(ofShown(ctx, own), attributes)(inner, obj)
	}
}

// DeleteCollection implements rest.CollectionDeleter. It ends with the first object that cannot be deleted.
func (r *REST) DeleteCollection(ctx context.Context, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions,
	listOptions *metainternalversion.ListOptions,
) (runtime.Object, error) {
	listed, err := r.List(ctx, listOptions)
	if err != nil {
		return nil, err
	}
	list, ok := listed.(*managedv1alpha1.MachineMaintenanceList)
	if !ok {
		return nil, fmt.Errorf("could not delete a collection of %T", listed)
	}
	deleted := []managedv1alpha1.MachineMaintenance{}
	for i := range list.Items {
		mm, err := r.deleteListed(ctx, &list.Items[i], validate, options)
		if err != nil {
			return nil, err
		}
		if mm != nil {
			deleted = append(deleted, *mm)
		}
	}
	list.Items = deleted
	return list, nil
}

// deleteListed deletes one object of a list. It returns nil if it is gone.
func (r *REST) deleteListed(ctx context.Context, listed *managedv1alpha1.MachineMaintenance, validate rest.ValidateObjectFunc,
	options *metav1.DeleteOptions,
) (*managedv1alpha1.MachineMaintenance, error) {
	obj, _, err := r.Delete(genericapirequest.WithNamespace(ctx, listed.Namespace), listed.Name, validate, options)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	mm, ok := obj.(*managedv1alpha1.MachineMaintenance)
	if !ok {
		return nil, fmt.Errorf("could not delete MachineMaintenance %s/%s: got %T", listed.Namespace, listed.Name, obj)
	}
	return mm, nil
}
