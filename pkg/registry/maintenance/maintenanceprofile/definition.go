// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package maintenanceprofile declares the resource maintenanceprofiles: its names, its rules for writes, what it warns of
// and its columns. Nothing in it does I/O.
package maintenanceprofile

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// Plural is the resource's name in URLs and in RBAC rules.
const Plural = "maintenanceprofiles"

// Definition declares the resource maintenanceprofiles. The scheme must know its types; wrap adds what it does beyond
// storing objects, and may be nil.
func Definition(scheme *runtime.Scheme, wrap func(*resource.REST) rest.Storage) resource.Definition {
	return resource.Definition{
		Group:      maintenance.GroupName,
		Plural:     Plural,
		Singular:   "maintenanceprofile",
		ShortNames: []string{"mprof"},
		Categories: []string{"maintenance"},

		New:     func() runtime.Object { return &maintenance.MaintenanceProfile{} },
		NewList: func() runtime.Object { return &maintenance.MaintenanceProfileList{} },

		Strategy:       NewStrategy(scheme),
		StatusStrategy: NewStatusStrategy(scheme),
		Table:          table,

		Fields: selectableFields,

		Wrap: wrap,
	}
}

// AliasOf is what labels of nodes call the profile.
func AliasOf(profile *maintenance.MaintenanceProfile) string {
	return cmp.Or(profile.Spec.Alias, profile.Name)
}

func selectableFields(obj runtime.Object) (fields.Set, error) {
	profile, ok := obj.(*maintenance.MaintenanceProfile)
	if !ok {
		return nil, fmt.Errorf("expected a MaintenanceProfile, got %T", obj)
	}
	return generic.ObjectMetaFieldsSet(&profile.ObjectMeta, false), nil
}
