// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machinemaintenance

import (
	"context"
	"fmt"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// selection is what a list or a watch asks for.
type selection struct {
	request
	fields fields.Selector
}

// newSelection takes the options of a list or a watch apart, which may be nil. It returns those for the events.
func newSelection(ctx context.Context, options *metainternalversion.ListOptions) (selection, *metainternalversion.ListOptions) {
	asked := selection{request: newRequest(ctx, ""), fields: fields.Everything()}
	if options == nil {
		return asked, nil
	}
	ofEvents := options.DeepCopy()
	if options.FieldSelector != nil {
		asked.fields = options.FieldSelector
		ofEvents.FieldSelector = nil
	}
	if name, single := asked.fields.RequiresExactMatch("metadata.name"); single {
		asked.request = newRequest(ctx, name)
	}
	if asked.event != "" {
		ofEvents.FieldSelector = fields.OneTermEqualSelector("metadata.name", asked.event)
	}
	return asked, ofEvents
}

// selected returns an event as it is shown. It says no if the event is no MachineMaintenance, or was not asked for. The
// store has selected by labels.
func (s selection) selected(event *v1beta1.ScheduledEvent) (*managedv1alpha1.MachineMaintenance, bool) {
	mm, is := show(event)
	if !is || (s.namespace != "" && mm.Namespace != s.namespace) {
		return nil, false
	}
	return mm, s.fields.Matches(generic.ObjectMetaFieldsSet(&mm.ObjectMeta, true))
}

// List implements rest.Lister. A page may have fewer objects than was asked for: there may be other events between them.
func (r *REST) List(ctx context.Context, options *metainternalversion.ListOptions) (runtime.Object, error) {
	asked, ofEvents := newSelection(ctx, options)
	listed, err := r.events.List(asked.ofEvents(ctx), ofEvents)
	if err != nil {
		return nil, asked.inOwnWords(err)
	}
	events, ok := listed.(*v1beta1.ScheduledEventList)
	if !ok {
		return nil, fmt.Errorf("could not list MachineMaintenances: got %T", listed)
	}
	list := &managedv1alpha1.MachineMaintenanceList{ListMeta: events.ListMeta, Items: []managedv1alpha1.MachineMaintenance{}}
	list.RemainingItemCount = nil // it counts other events, too
	for i := range events.Items {
		if mm, is := asked.selected(&events.Items[i]); is {
			list.Items = append(list.Items, *mm)
		}
	}
	return list, nil
}

// Watch implements rest.Watcher.
func (r *REST) Watch(ctx context.Context, options *metainternalversion.ListOptions) (watch.Interface, error) {
	asked, ofEvents := newSelection(ctx, options)
	stored, err := r.events.Watch(asked.ofEvents(ctx), ofEvents)
	if err != nil {
		return nil, asked.inOwnWords(err)
	}
	return resource.EachEvent(ctx, stored, asked.selectedEvent), nil
}

// selectedEvent is selected for an event of a watch. Neither the name nor the source of a ScheduledEvent can change, so
// none begins or ends to be a MachineMaintenance.
func (s selection) selectedEvent(event watch.Event) (watch.Event, bool) {
	object := event.Object
	if shared, ok := object.(runtime.CacheableObject); ok {
		object = shared.GetObject()
	}
	stored, ok := object.(*v1beta1.ScheduledEvent)
	if !ok { // an error
		return event, true
	}
	if event.Type == watch.Bookmark {
		event.Object = &managedv1alpha1.MachineMaintenance{ObjectMeta: stored.ObjectMeta}
		return event, true
	}
	mm, is := s.selected(stored)
	event.Object = mm
	return event, is
}

var _ interface {
	rest.Lister
	rest.Watcher
} = (*REST)(nil)
