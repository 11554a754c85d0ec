// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package maintenanceledger declares the resource maintenanceledgers: its names, its rules for writes and
// its columns. Nothing in it does I/O.
package maintenanceledger

import (
	"errors"
	"fmt"

	metatable "k8s.io/apimachinery/pkg/api/meta/table"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/serveronly"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// Plural is the resource's name in URLs and in RBAC rules.
const Plural = "maintenanceledgers"

// errServerOnly is what everybody is told who writes but the server.
var errServerOnly = errors.New("only maintenance-apiserver itself writes MaintenanceLedgers, as its record of which nodes " +
	"were admitted to maintenance; to change what may start, change the MaintenancePolicies (kubectl get mpol)")

// Definition declares the resource maintenanceledgers. The scheme must know its types. It is in no category:
// it is the server's own record, and not what people work with.
func Definition(scheme *runtime.Scheme) resource.Definition {
	return resource.Definition{
		Group:    v1beta1.GroupName,
		Plural:   Plural,
		Singular: "maintenanceledger",

		New:     func() runtime.Object { return &v1beta1.MaintenanceLedger{} },
		NewList: func() runtime.Object { return &v1beta1.MaintenanceLedgerList{} },

		Strategy: NewStrategy(scheme),
		Table:    table,

		Fields: selectableFields,

		Wrap: serveronly.Wrap(Plural, errServerOnly),
	}
}

func selectableFields(obj runtime.Object) (fields.Set, error) {
	ledger, ok := obj.(*v1beta1.MaintenanceLedger)
	if !ok {
		return nil, fmt.Errorf("expected a MaintenanceLedger, got %T", obj)
	}
	return generic.ObjectMetaFieldsSet(&ledger.ObjectMeta, false), nil
}

// table is what kubectl prints for MaintenanceLedgers.
var table = resource.Table[*v1beta1.MaintenanceLedger]{
	column("Name", "string", "name", "Name of the MaintenanceLedger", func(l *v1beta1.MaintenanceLedger) any { return l.Name }),
	column("Nodes", "integer", "", "Nodes that were admitted and are not through yet", func(l *v1beta1.MaintenanceLedger) any { return int64(len(l.Spec.Entries)) }),
	column("Epoch", "integer", "", "How many leaders there have been", func(l *v1beta1.MaintenanceLedger) any { return l.Spec.Epoch }),
	column("Age", "string", "", "Time since the MaintenanceLedger was created", func(l *v1beta1.MaintenanceLedger) any {
		return metatable.ConvertToHumanReadableDateType(l.CreationTimestamp)
	}),
}

func column(name, kind, format, description string, cell func(*v1beta1.MaintenanceLedger) any) resource.Column[*v1beta1.MaintenanceLedger] {
	return resource.Column[*v1beta1.MaintenanceLedger]{
		Heading: metav1.TableColumnDefinition{Name: name, Type: kind, Format: format, Description: description},
		Cell:    cell,
	}
}
