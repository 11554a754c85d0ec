// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduledevent

import (
	"context"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// strategy holds the rules for writes to scheduledevents. What it warns of depends on the nodes, so the storage does that.
type strategy struct {
	resource.ClusterScoped
}

// NewStrategy returns the rules for create, update and delete of ScheduledEvents.
func NewStrategy(typer runtime.ObjectTyper) rest.CreateUpdateResetFieldsStrategy {
	return strategy{resource.NewClusterScoped(typer)}
}

// GetResetFields names what a request to scheduledevents cannot own.
func (strategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(v1beta1.SchemeGroupVersion.String()): fieldpath.NewSet(fieldpath.MakePathOrDie("status")),
	}
}

// PrepareForCreate sets the fields that only the server sets. A new event has a phase, so that who selects by phase never
// misses it.
func (strategy) PrepareForCreate(_ context.Context, obj runtime.Object) {
	event := obj.(*v1beta1.ScheduledEvent)
	event.Generation = 1
	event.Finalizers = withEventFinalizer(event.Finalizers)
	event.Status = v1beta1.ScheduledEventStatus{Phase: v1beta1.EventPhasePending}
}

// Validate checks a new object.
func (strategy) Validate(_ context.Context, obj runtime.Object) field.ErrorList {
	return validation.ValidateScheduledEvent(obj.(*v1beta1.ScheduledEvent))
}

// PrepareForUpdate keeps what an update cannot change, and counts a new spec.
func (strategy) PrepareForUpdate(ctx context.Context, obj, old runtime.Object) {
	newEvent, oldEvent := obj.(*v1beta1.ScheduledEvent), old.(*v1beta1.ScheduledEvent)
	newEvent.Status = oldEvent.Status
	newEvent.Unknown = oldEvent.Unknown
	keepEventFinalizer(ctx, newEvent, oldEvent)
	if !apiequality.Semantic.DeepEqual(newEvent.Spec, oldEvent.Spec) {
		newEvent.Generation = oldEvent.Generation + 1
	}
}

// ValidateUpdate checks a changed object.
func (strategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	return validation.ValidateScheduledEventUpdate(obj.(*v1beta1.ScheduledEvent), old.(*v1beta1.ScheduledEvent))
}
