// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceendpoint

import (
	"cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// table is what kubectl prints for MaintenanceEndpoints.
var table = resource.Table[*v1beta1.MaintenanceEndpoint]{
	resource.NewColumn("Name", "name", "Name of the MaintenanceEndpoint", 0, func(e *v1beta1.MaintenanceEndpoint) any { return e.Name }),
	resource.NewColumn("Kind", "", "What it is", 0, func(e *v1beta1.MaintenanceEndpoint) any {
		kind, _ := Member(&e.Spec)
		return cmp.Or(kind, resource.Unknown)
	}),
	resource.NewColumn("Where", "", "URL or address, unless the Secret has it", 0, func(e *v1beta1.MaintenanceEndpoint) any {
		_, where := Member(&e.Spec)
		return cmp.Or(where, resource.None)
	}),
	resource.NewAgeColumn[*v1beta1.MaintenanceEndpoint]("Time since the MaintenanceEndpoint was created", 0),
	resource.NewColumn("Secret", "", "Secret with the credentials", 1, func(e *v1beta1.MaintenanceEndpoint) any {
		if e.Spec.SecretRef == nil {
			return resource.None
		}
		return e.Spec.SecretRef.Name
	}),
}
