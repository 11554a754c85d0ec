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

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// Plural is the resource's name in URLs and in RBAC rules.
const Plural = "maintenanceprofiles"

// newLimit bounds the profiles: each is compiled, and evaluated on each of its nodes. One may have its largest spec twice,
// since kubectl apply adds an annotation with the whole object, and managed fields besides. bytes is how large all may be
// together; zero: any size.
func newLimit(bytes int) *resource.Limit {
	return &resource.Limit{
		Kinds: "MaintenanceProfiles", Objects: 256, ObjectBytes: 3 * v1beta1.MaxProfileBytes, Bytes: bytes,
		Author: func(obj runtime.Object) *v1beta1.Author {
			return obj.(*v1beta1.MaintenanceProfile).Status.Author
		},
		Advice: "delete those that nobody uses, have one do the work of two, or give the server more memory",
	}
}

// Definition declares the resource maintenanceprofiles. The scheme must know its types; bytes is how large all profiles may
// be together, or zero for any size; wrap adds what it does beyond
// storing objects, and may be nil.
func Definition(scheme *runtime.Scheme, bytes int, wrap func(*resource.REST) rest.Storage) resource.Definition {
	return resource.Definition{
		Group:      v1beta1.GroupName,
		Plural:     Plural,
		Singular:   "maintenanceprofile",
		ShortNames: []string{"mprof"},
		Categories: []string{"maintenance"},

		New:     func() runtime.Object { return &v1beta1.MaintenanceProfile{} },
		NewList: func() runtime.Object { return &v1beta1.MaintenanceProfileList{} },

		Strategy:       NewStrategy(scheme),
		StatusStrategy: NewStatusStrategy(scheme),
		Limit:          newLimit(bytes),
		Table:          table,

		Fields: selectableFields,

		Wrap: wrap,
	}
}

// AliasOf is what labels of nodes call the profile.
func AliasOf(profile *v1beta1.MaintenanceProfile) string {
	return cmp.Or(profile.Spec.Alias, profile.Name)
}

func selectableFields(obj runtime.Object) (fields.Set, error) {
	profile, ok := obj.(*v1beta1.MaintenanceProfile)
	if !ok {
		return nil, fmt.Errorf("expected a MaintenanceProfile, got %T", obj)
	}
	return generic.ObjectMetaFieldsSet(&profile.ObjectMeta, false), nil
}
