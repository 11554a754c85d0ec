// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nodemaintenance declares the resource nodemaintenances: its names, its
// rules for writes and its columns. Nothing in it does I/O.
package nodemaintenance

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
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
	rules := newRules(time.Now)
	return resource.Definition{
		Group:      v1beta1.GroupName,
		Plural:     Plural,
		Singular:   "nodemaintenance",
		ShortNames: []string{"nm"},
		Categories: []string{"maintenance"},

		New:     func() runtime.Object { return &v1beta1.NodeMaintenance{} },
		NewList: func() runtime.Object { return &v1beta1.NodeMaintenanceList{} },

		Strategy:       rules.Strategy(scheme),
		StatusStrategy: rules.StatusStrategy(scheme),
		Table:          table,

		Fields:       selectableFields,
		IndexedField: v1beta1.FieldNodeName,

		Wrap: wrap,
	}
}

func selectableFields(obj runtime.Object) fields.Set {
	nm := obj.(*v1beta1.NodeMaintenance)
	return fields.Set{
		v1beta1.FieldNodeName:  nm.Spec.NodeName,
		v1beta1.FieldRequestor: nm.Spec.Requestor,
		v1beta1.FieldPhase:     string(nm.Status.Phase),
	}
}

// Keeps says whether the hold keeps its node in maintenance. A hold in stage Idle asks for nothing, and
// an ending hold no longer counts.
func Keeps(hold *v1beta1.NodeMaintenance) bool {
	return hold.DeletionTimestamp.IsZero() && hold.Spec.Stage != v1beta1.StageIdle
}

// SaysEmpty says whether, by the status of the hold, no pod is left on its node that a drain of all pods
// would evict. Drained alone says only that the pods are gone that the hold selects.
func SaysEmpty(hold *v1beta1.NodeMaintenance) bool {
	drained := apimeta.FindStatusCondition(hold.Status.Conditions, v1beta1.ConditionDrained)
	return drained != nil && drained.Status == metav1.ConditionTrue && drained.Reason == v1beta1.ReasonNodeEmpty
}
