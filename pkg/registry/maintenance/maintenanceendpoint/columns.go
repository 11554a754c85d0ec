// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceendpoint

import (
	"cmp"

	metatable "k8s.io/apimachinery/pkg/api/meta/table"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

const (
	// none is what kubectl shows where there is nothing to show.
	none = "<none>"
	// unknown is what kubectl shows of an endpoint of a kind that this version does not know.
	unknown = "<unknown>"
)

// table is what kubectl prints for MaintenanceEndpoints.
var table = resource.Table[*v1beta1.MaintenanceEndpoint]{
	column("Name", "name", "Name of the MaintenanceEndpoint", 0, func(e *v1beta1.MaintenanceEndpoint) any { return e.Name }),
	column("Kind", "", "What it is", 0, func(e *v1beta1.MaintenanceEndpoint) any {
		kind, _ := Member(&e.Spec)
		return cmp.Or(kind, unknown)
	}),
	column("Where", "", "URL or address, unless the Secret has it", 0, func(e *v1beta1.MaintenanceEndpoint) any {
		_, where := Member(&e.Spec)
		return cmp.Or(where, none)
	}),
	column("Age", "", "Time since the MaintenanceEndpoint was created", 0, func(e *v1beta1.MaintenanceEndpoint) any {
		return metatable.ConvertToHumanReadableDateType(e.CreationTimestamp)
	}),
	column("Secret", "", "Secret with the credentials", 1, func(e *v1beta1.MaintenanceEndpoint) any {
		if e.Spec.SecretRef == nil {
			return none
		}
		return e.Spec.SecretRef.Name
	}),
}

func column(name, format, description string, priority int32, cell func(*v1beta1.MaintenanceEndpoint) any) resource.Column[*v1beta1.MaintenanceEndpoint] {
	return resource.Column[*v1beta1.MaintenanceEndpoint]{
		Heading: metav1.TableColumnDefinition{Name: name, Type: "string", Format: format, Description: description, Priority: priority},
		Cell:    cell,
	}
}
