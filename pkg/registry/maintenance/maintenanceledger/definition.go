// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package maintenanceledger declares the resource maintenanceledgers: its names, its rules for writes and
// its columns. Nothing in it does I/O.
package maintenanceledger

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
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

		Strategy: rules.Strategy(scheme),
		Table:    table,

		Wrap: serveronly.Wrap(Plural, errServerOnly),
	}
}

// table is what kubectl prints for MaintenanceLedgers.
var table = resource.Table[*v1beta1.MaintenanceLedger]{
	resource.NewColumn("Name", "name", "Name of the MaintenanceLedger", 0, func(l *v1beta1.MaintenanceLedger) any { return l.Name }),
	resource.NewCountColumn("Nodes", "Nodes that were admitted and are not through yet", 0, func(l *v1beta1.MaintenanceLedger) any { return int64(len(l.Spec.Entries)) }),
	resource.NewCountColumn("Epoch", "How many leaders there have been", 0, func(l *v1beta1.MaintenanceLedger) any { return l.Spec.Epoch }),
	resource.NewAgeColumn[*v1beta1.MaintenanceLedger]("Time since the MaintenanceLedger was created", 0),
}

// rules are those for writes of MaintenanceLedgers. To follow the owners of thousands of entries would take longer than the
// write.
var rules = resource.Rules[*v1beta1.MaintenanceLedger, v1beta1.MaintenanceLedgerSpec, struct{}]{
	ServersOwn: true,
	Validate: func(_ context.Context, ledger *v1beta1.MaintenanceLedger) field.ErrorList {
		return validation.ValidateMaintenanceLedger(ledger)
	},
	ValidateUpdate: validation.ValidateMaintenanceLedgerUpdate,
}
