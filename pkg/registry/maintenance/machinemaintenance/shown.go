// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machinemaintenance

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/owners"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// show returns a stored event as the MachineMaintenance that it is, with the owners of its fields. It says no if the event
// is none.
func show(event *v1beta1.ScheduledEvent) (mm *managedv1alpha1.MachineMaintenance, is bool) {
	mm, is = managedv1alpha1.FromEvent(event)
	if is {
		mm.ManagedFields = owners.OfMachineMaintenance(event.ManagedFields)
	}
	return mm, is
}

// table is what kubectl prints. The operator's kind had a name and an age.
var table = resource.Table[*managedv1alpha1.MachineMaintenance]{
	resource.NewColumn("Name", "name", "Name of the MachineMaintenance", 0, func(mm *managedv1alpha1.MachineMaintenance) any { return mm.Name }),
	resource.NewAgeColumn[*managedv1alpha1.MachineMaintenance]("Time since the MachineMaintenance was created", 0),
}

// ConvertToTable implements rest.TableConvertor.
func (*REST) ConvertToTable(ctx context.Context, object, tableOptions runtime.Object) (*metav1.Table, error) {
	return table.ConvertToTable(ctx, object, tableOptions)
}
