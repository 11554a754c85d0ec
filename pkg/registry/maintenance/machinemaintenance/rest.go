// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package machinemaintenance serves ScheduledEvents as the MachineMaintenances of a former operator. It has no store: it
// changes what comes in and what goes out, and leaves the rest to the storage of ScheduledEvents. Other than these,
// MachineMaintenances have namespaces. So more is translated: names and UIDs, the context of a request, which the store
// reads too (context.go), and who owns which fields. Package writeas lets each write pass admission as one of a
// ScheduledEvent. The mapping itself is pure, in package managedv1alpha1.
package machinemaintenance

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/scheduledevent"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/writeas"
)

var _ interface {
	rest.StandardStorage
	rest.Scoper
	rest.SingularNameProvider
	rest.ResetFieldsStrategy
	rest.MayReturnFullObjectDeleter
} = (*REST)(nil)

// REST serves MachineMaintenances.
type REST struct {
	events rest.StandardStorage
	// writeEvents is the admission of the events.
	writeEvents writeas.Resource
}

// New returns the storage of MachineMaintenances. events is that of ScheduledEvents, and chain the admission that each of
// them passes.
func New(events rest.StandardStorage, chain admission.Interface, objects admission.ObjectInterfaces) *REST {
	return &REST{events: events, writeEvents: writeas.Resource{
		Kind: v1beta1.SchemeGroupVersion.WithKind("ScheduledEvent"), Resource: v1beta1.SchemeGroupVersion.WithResource(scheduledevent.Plural),
		Chain: chain, Objects: objects,
	}}
}

// New implements rest.Storage.
func (*REST) New() runtime.Object { return &managedv1alpha1.MachineMaintenance{} }

// NewList implements rest.Lister.
func (*REST) NewList() runtime.Object { return &managedv1alpha1.MachineMaintenanceList{} }

// Destroy implements rest.Storage. It does nothing: the storage is another resource's.
func (*REST) Destroy() {}

// NamespaceScoped implements rest.Scoper.
func (*REST) NamespaceScoped() bool { return true }

// GetSingularName implements rest.SingularNameProvider.
func (*REST) GetSingularName() string { return managedv1alpha1.Singular }

// DeleteReturnsDeletedObject implements rest.MayReturnFullObjectDeleter.
func (*REST) DeleteReturnsDeletedObject() bool { return true }

// GetResetFields implements rest.ResetFieldsStrategy.
func (*REST) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(managedv1alpha1.SchemeGroupVersion.String()): fieldpath.NewSet(fieldpath.MakePathOrDie("status")),
	}
}

// Get implements rest.Getter.
func (r *REST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	asked := newRequest(ctx, name)
	event, err := r.events.Get(asked.ofEvents(ctx), asked.event, options)
	if err != nil {
		return nil, asked.inOwnWords(err)
	}
	return asked.shown(event)
}

// request is a request for one MachineMaintenance, or for several if it has no name.
type request struct {
	namespace, name string
	// event is the name of the ScheduledEvent.
	event string
}

func (r request) notFound() error {
	return apierrors.NewNotFound(managedv1alpha1.Resource(managedv1alpha1.Plural), r.name)
}

// shown returns the stored event as it is shown. It fails if the event is no MachineMaintenance.
func (r request) shown(stored runtime.Object) (runtime.Object, error) {
	event, ok := stored.(*v1beta1.ScheduledEvent)
	if !ok {
		return stored, nil
	}
	mm, is := show(event)
	if !is {
		return nil, r.notFound()
	}
	return mm, nil
}
