// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package maintenanceendpoint declares the resource maintenanceendpoints: its names, its rules for writes and its
// columns. Nothing in it does I/O.
package maintenanceendpoint

import (
	"context"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
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

		Strategy:       rules.Strategy(scheme),
		StatusStrategy: rules.StatusStrategy(scheme),
		Limit:          newLimit(bytes),
		Table:          table,
	}
}

// rules are those for writes of MaintenanceEndpoints. RBAC decides who may write the status.
var rules = resource.Rules[*v1beta1.MaintenanceEndpoint, v1beta1.MaintenanceEndpointSpec, v1beta1.MaintenanceEndpointStatus]{
	Spec:   func(e *v1beta1.MaintenanceEndpoint) *v1beta1.MaintenanceEndpointSpec { return &e.Spec },
	Status: func(e *v1beta1.MaintenanceEndpoint) *v1beta1.MaintenanceEndpointStatus { return &e.Status },
	PrepareCreate: func(ctx context.Context, endpoint *v1beta1.MaintenanceEndpoint) {
		endpoint.Status.Author = caller.Author(ctx)
	},
	PrepareUpdate: func(ctx context.Context, endpoint, old *v1beta1.MaintenanceEndpoint) {
		if !apiequality.Semantic.DeepEqual(endpoint.Spec, old.Spec) {
			endpoint.Status.Author = caller.Author(ctx)
		}
	},
	PrepareStatus: func(_ context.Context, endpoint, old *v1beta1.MaintenanceEndpoint) {
		endpoint.Status.Author = old.Status.Author
	},
	Validate: func(_ context.Context, endpoint *v1beta1.MaintenanceEndpoint) field.ErrorList {
		return validation.ValidateMaintenanceEndpoint(endpoint)
	},
	ValidateUpdate: validation.ValidateMaintenanceEndpointUpdate,
	ValidateStatus: validation.ValidateMaintenanceEndpointStatusUpdate,
}
