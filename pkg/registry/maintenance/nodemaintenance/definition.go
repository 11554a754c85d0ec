// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nodemaintenance declares the resource nodemaintenances: its names, its
// rules for writes and its columns. Nothing in it does I/O.
package nodemaintenance

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// Plural is the resource's name in URLs and in RBAC rules.
const Plural = "nodemaintenances"

// Invalid is the answer to a request whose hold is not valid: 422, with all errors.
func Invalid(hold *v1beta1.NodeMaintenance, errs field.ErrorList) error {
	return apierrors.NewInvalid(v1beta1.SchemeGroupVersion.WithKind("NodeMaintenance").GroupKind(), hold.Name, errs)
}

// Definition declares the resource nodemaintenances. The scheme must know its
// types; wrap adds what it does beyond storing objects, and may be nil.
func Definition(scheme *runtime.Scheme, wrap func(*resource.REST) rest.Storage) resource.Definition {
	return resource.Definition{
		Group:      v1beta1.GroupName,
		Plural:     Plural,
		Singular:   "nodemaintenance",
		ShortNames: []string{"nm"},
		Categories: []string{"maintenance"},

		New:     func() runtime.Object { return &v1beta1.NodeMaintenance{} },
		NewList: func() runtime.Object { return &v1beta1.NodeMaintenanceList{} },

		Strategy:       NewStrategy(scheme),
		StatusStrategy: NewStatusStrategy(scheme),
		Table:          table,

		Fields:       selectableFields,
		IndexedField: v1beta1.FieldNodeName,

		Wrap: wrap,
	}
}

func selectableFields(obj runtime.Object) (fields.Set, error) {
	nm, ok := obj.(*v1beta1.NodeMaintenance)
	if !ok {
		return nil, fmt.Errorf("expected a NodeMaintenance, got %T", obj)
	}
	selectable := generic.ObjectMetaFieldsSet(&nm.ObjectMeta, false)
	selectable[v1beta1.FieldNodeName] = nm.Spec.NodeName
	selectable[v1beta1.FieldRequestor] = nm.Spec.Requestor
	selectable[v1beta1.FieldPhase] = string(nm.Status.Phase)
	return selectable, nil
}
