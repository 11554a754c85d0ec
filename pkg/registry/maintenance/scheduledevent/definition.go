// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scheduledevent declares the resource scheduledevents: its names, its rules for writes, what it warns of and its
// columns. Nothing in it does I/O.
package scheduledevent

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/serveronly"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// Plural is the resource's name in URLs and in RBAC rules.
const Plural = "scheduledevents"

// errStatus is what everybody is told who writes a status but the server.
var errStatus = errors.New("only maintenance-apiserver itself writes the status of ScheduledEvents; to say that an event has happened, " +
	"or does not happen, set its spec.state to Completed or Canceled")

// Definition declares the resource scheduledevents. The scheme must know its types. authorize authorizes updates of the
// spec once more. bytes is how large the events of users may be together; zero: any size. wrap adds what it does beyond storing objects. Both may be nil.
func Definition(scheme *runtime.Scheme, authorize resource.AuthorizeUpdate, bytes int, wrap func(*resource.REST) rest.Storage) resource.Definition {
	return resource.Definition{
		Group:      v1beta1.GroupName,
		Plural:     Plural,
		Singular:   "scheduledevent",
		ShortNames: []string{"sev"},
		Categories: []string{"maintenance"},

		New:     func() runtime.Object { return &v1beta1.ScheduledEvent{} },
		NewList: func() runtime.Object { return &v1beta1.ScheduledEventList{} },

		Strategy:        rules.Strategy(scheme),
		StatusStrategy:  rules.StatusStrategy(scheme),
		AuthorizeUpdate: authorizeUpdate(authorize),
		Limit:           newLimit(bytes),
		Table:           table,

		Fields: selectableFields,

		Wrap: wrap,
	}
}

// authorizeUpdate lets only the server write a status.
func authorizeUpdate(ofSpec resource.AuthorizeUpdate) resource.AuthorizeUpdate {
	ofStatus := serveronly.Status(Plural, errStatus)
	return func(ctx context.Context, subresource string, obj, old runtime.Object) error {
		switch {
		case subresource == "status":
			return ofStatus(ctx, subresource, obj, old)
		case ofSpec == nil:
			return nil
		default:
			return ofSpec(ctx, subresource, obj, old)
		}
	}
}

func selectableFields(obj runtime.Object) fields.Set {
	event := obj.(*v1beta1.ScheduledEvent)
	return fields.Set{
		v1beta1.FieldNodeName:   event.Spec.NodeName,
		v1beta1.FieldSource:     event.Spec.Source,
		v1beta1.FieldInstanceID: event.Spec.InstanceID,
		v1beta1.FieldPhase:      string(event.Status.Phase),
		v1beta1.FieldEventNode:  event.Status.NodeName,
	}
}

// rules are those for writes of ScheduledEvents. What they warn of depends on the nodes, so the storage does that.
var rules = resource.Rules[*v1beta1.ScheduledEvent, v1beta1.ScheduledEventSpec, v1beta1.ScheduledEventStatus]{
	Spec:          func(e *v1beta1.ScheduledEvent) *v1beta1.ScheduledEventSpec { return &e.Spec },
	Status:        func(e *v1beta1.ScheduledEvent) *v1beta1.ScheduledEventStatus { return &e.Status },
	Finalizer:     v1beta1.EventFinalizer,
	FinalizerEnds: func(*v1beta1.ScheduledEvent) string { return "what the event has begun is withdrawn" },
	PrepareCreate: func(_ context.Context, event *v1beta1.ScheduledEvent) {
		event.Status.Phase = v1beta1.EventPhasePending // so that who selects by phase never misses it
	},
	Validate: func(_ context.Context, event *v1beta1.ScheduledEvent) field.ErrorList {
		return validation.ValidateScheduledEvent(event)
	},
	ValidateUpdate: validation.ValidateScheduledEventUpdate,
	ValidateStatus: validation.ValidateScheduledEventStatusUpdate,
}
