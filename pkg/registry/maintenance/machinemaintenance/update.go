// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machinemaintenance

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/owners"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/writeas"
)

// Update implements rest.Updater. A server-side apply that creates an object also comes here.
func (r *REST) Update(ctx context.Context, name string, objInfo rest.UpdatedObjectInfo,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	forceAllowCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	asked := newRequest(ctx, name)
	update := &update{UpdatedObjectInfo: objInfo, of: r, request: asked, ctx: ctx, options: options}
	stored, created, err := r.events.Update(asked.ofEvents(ctx), asked.event, update,
		update.validateCreate(createValidation), update.validateUpdate(updateValidation), forceAllowCreate, options)
	if err != nil {
		return nil, false, r.notCreated(ctx, asked, err)
	}
	mm, err := asked.shown(stored)
	return mm, created, err
}

// update is the object of an update of a MachineMaintenance, as a ScheduledEvent.
type update struct {
	rest.UpdatedObjectInfo
	request

	of *REST
	// ctx is that of the request for the MachineMaintenance.
	ctx     context.Context //nolint:containedctx // it lives as long as one call
	options *metav1.UpdateOptions
}

// Preconditions implements rest.UpdatedObjectInfo.
func (u *update) Preconditions() *metav1.Preconditions {
	return ofEvent(u.UpdatedObjectInfo.Preconditions())
}

// ofEvent are preconditions for the event of a MachineMaintenance.
func ofEvent(asked *metav1.Preconditions) *metav1.Preconditions {
	if asked == nil || asked.UID == nil {
		return asked
	}
	uid := managedv1alpha1.OtherUID(*asked.UID)
	return &metav1.Preconditions{UID: &uid, ResourceVersion: asked.ResourceVersion}
}

// UpdatedObject implements rest.UpdatedObjectInfo.
func (u *update) UpdatedObject(ctx context.Context, old runtime.Object) (runtime.Object, error) {
	stored, ok := old.(*v1beta1.ScheduledEvent)
	if !ok {
		return nil, fmt.Errorf("could not update a MachineMaintenance: got %T", old)
	}
	shown, err := u.before(stored)
	if err != nil {
		return nil, err
	}
	obj, err := u.UpdatedObjectInfo.UpdatedObject(u.ctx, shown)
	if err != nil {
		return nil, err
	}
	written, ok := obj.(*managedv1alpha1.MachineMaintenance)
	if !ok {
		return nil, fmt.Errorf("could not update a MachineMaintenance: got %T for it", obj)
	}
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(u.namespace, written); err != nil {
		return nil, err
	}
	event, err := u.event(stored, written, shown)
	if err != nil {
		return nil, err
	}
	return event, u.of.writeEvents.Mutate(ctx, u.attributes(ctx, event, stored))
}

// isNew says whether there is no stored object.
func isNew(stored *v1beta1.ScheduledEvent) bool { return stored.ResourceVersion == "" }

// before is the stored object as it is shown, or an empty one if there is none.
func (u *update) before(stored *v1beta1.ScheduledEvent) (*managedv1alpha1.MachineMaintenance, error) {
	if isNew(stored) {
		return &managedv1alpha1.MachineMaintenance{}, nil
	}
	shown, is := show(stored)
	if !is {
		return nil, u.notFound()
	}
	return shown, nil
}

// event is what is to be stored.
func (u *update) event(stored *v1beta1.ScheduledEvent, written, shown *managedv1alpha1.MachineMaintenance) (*v1beta1.ScheduledEvent, error) {
	if isNew(stored) { // an apply creates the object
		return newEvent(u.ctx, written)
	}
	if errs := managedv1alpha1.ValidateUpdate(written, shown); len(errs) > 0 {
		return nil, invalid(written, errs)
	}
	event := managedv1alpha1.Changed(stored, written)
	event.ManagedFields = owners.OfScheduledEvent(written.ManagedFields, stored.ManagedFields)
	return event, nil
}

// attributes are those of the update of the event, or of its create.
func (u *update) attributes(ctx context.Context, event, stored *v1beta1.ScheduledEvent) admission.Attributes {
	if isNew(stored) {
		return u.of.writeEvents.Attributes(ctx, u.create(event))
	}
	return u.of.writeEvents.Attributes(ctx, writeas.Write{
		Operation: admission.Update, Name: u.request.event, Object: event, Old: stored, Options: u.options, DryRun: u.options.DryRun,
	})
}

// create is the create of the event that an apply makes.
func (u *update) create(event runtime.Object) writeas.Write {
	return writeas.Write{
		Operation: admission.Create, Name: u.request.event, Object: event, DryRun: u.options.DryRun,
		Options: &metav1.CreateOptions{DryRun: u.options.DryRun, FieldManager: u.options.FieldManager, FieldValidation: u.options.FieldValidation},
	}
}

func (u *update) validateCreate(own rest.ValidateObjectFunc) rest.ValidateObjectFunc {
	return func(ctx context.Context, obj runtime.Object) error {
		attributes := u.of.writeEvents.Attributes(ctx, u.create(obj))
		return u.of.writeEvents.ValidateCreate(ofShown(u.ctx, own), attributes)(ctx, obj)
	}
}

func (u *update) validateUpdate(own rest.ValidateObjectUpdateFunc) rest.ValidateObjectUpdateFunc {
	return func(ctx context.Context, obj, old runtime.Object) error {
		attributes := u.of.writeEvents.Attributes(ctx, writeas.Write{
			Operation: admission.Update, Name: u.request.event, Object: obj, Old: old, Options: u.options, DryRun: u.options.DryRun,
		})
		return u.of.writeEvents.ValidateUpdate(u.updateOfShown(own), attributes)(ctx, obj, old)
	}
}

// updateOfShown is ofShown for an update.
func (u *update) updateOfShown(own rest.ValidateObjectUpdateFunc) rest.ValidateObjectUpdateFunc {
	if own == nil {
		return nil
	}
	return func(_ context.Context, obj, old runtime.Object) error {
		written, err := shownEvent(obj)
		if err != nil {
			return err
		}
		stored, err := shownEvent(old)
		if err != nil {
			return err
		}
		return own(u.ctx, written, stored)
	}
}
