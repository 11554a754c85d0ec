// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package maintenanceendpoint declares the resource maintenanceendpoints: its names, its rules for writes and its
// columns. Nothing in it does I/O.
package maintenanceendpoint

import (
	"fmt"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// Plural is the resource's name in URLs and in RBAC rules.
const Plural = "maintenanceendpoints"

// newLimit bounds the endpoints: the server holds what it has read for each of them. One may have its largest CA bundle
// twice, since kubectl apply adds an annotation with the whole object. bytes is how large all may be together; zero: any size.
func newLimit(bytes int) *resource.Limit {
	return &resource.Limit{
		Kinds: "MaintenanceEndpoints", Objects: 256, ObjectBytes: 192 << 10, Bytes: bytes,
		Author: func(obj runtime.Object) *v1beta1.Author {
			return obj.(*v1beta1.MaintenanceEndpoint).Status.Author
		},
		Advice: "delete those that nobody uses, or have several profiles share one",
	}
}

// Definition declares the resource maintenanceendpoints. The scheme must know its types. bytes is how large all endpoints
// may be together; zero: any size.
func Definition(scheme *runtime.Scheme, bytes int) resource.Definition {
	return resource.Definition{
		Group:      v1beta1.GroupName,
		Plural:     Plural,
		Singular:   "maintenanceendpoint",
		ShortNames: []string{"mep"},
		Categories: []string{"maintenance"},

		New:     func() runtime.Object { return &v1beta1.MaintenanceEndpoint{} },
		NewList: func() runtime.Object { return &v1beta1.MaintenanceEndpointList{} },

		Strategy:       NewStrategy(scheme),
		StatusStrategy: NewStatusStrategy(scheme),
		Limit:          newLimit(bytes),
		Table:          table,

		Fields: selectableFields,
	}
}

func selectableFields(obj runtime.Object) (fields.Set, error) {
	endpoint, ok := obj.(*v1beta1.MaintenanceEndpoint)
	if !ok {
		return nil, fmt.Errorf("expected a MaintenanceEndpoint, got %T", obj)
	}
	return generic.ObjectMetaFieldsSet(&endpoint.ObjectMeta, false), nil
}
