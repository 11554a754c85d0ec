// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package maintenancepolicy declares the resource maintenancepolicies: its names, its rules for writes and
// its columns. Nothing in it does I/O.
package maintenancepolicy

import (
	"fmt"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// Plural is the resource's name in URLs and in RBAC rules.
const Plural = "maintenancepolicies"

// limit bounds the policies: every decision looks at each of them.
var limit = resource.Limit{
	Kinds: "MaintenancePolicies", Objects: 64, Advice: "delete one first, or have one do the work of two",
}

// Definition declares the resource maintenancepolicies. The scheme must know its types; wrap adds what it
// does beyond storing objects, and may be nil.
func Definition(scheme *runtime.Scheme, wrap func(*resource.REST) rest.Storage) resource.Definition {
	return resource.Definition{
		Group:      v1beta1.GroupName,
		Plural:     Plural,
		Singular:   "maintenancepolicy",
		ShortNames: []string{"mpol"},
		Categories: []string{"maintenance"},

		New:     func() runtime.Object { return &v1beta1.MaintenancePolicy{} },
		NewList: func() runtime.Object { return &v1beta1.MaintenancePolicyList{} },

		Strategy:       NewStrategy(scheme),
		StatusStrategy: NewStatusStrategy(scheme),
		Limit:          &limit,
		Table:          newTable(),

		Fields: selectableFields,

		Wrap: wrap,
	}
}

func selectableFields(obj runtime.Object) (fields.Set, error) {
	policy, ok := obj.(*v1beta1.MaintenancePolicy)
	if !ok {
		return nil, fmt.Errorf("expected a MaintenancePolicy, got %T", obj)
	}
	return generic.ObjectMetaFieldsSet(&policy.ObjectMeta, false), nil
}
