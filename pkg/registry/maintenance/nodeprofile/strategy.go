// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeprofile

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// strategy holds the rules for writes to nodeprofiles. The server makes all of them, so nobody follows who owns which
// fields: there are thousands of objects.
type strategy struct {
	resource.ClusterScoped
}

// NewStrategy returns the rules for create, update and delete of NodeProfiles.
func NewStrategy(typer runtime.ObjectTyper) rest.CreateUpdateResetFieldsStrategy {
	return strategy{resource.NewClusterScoped(typer)}
}

// GetResetFields returns none: all fields are the server's.
func (strategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set { return nil }

// PrepareForCreate keeps the status: the server creates a NodeProfile with the state that the node is in.
func (strategy) PrepareForCreate(_ context.Context, obj runtime.Object) {
	nodeProfile := obj.(*v1beta1.NodeProfile)
	nodeProfile.Generation = 1
	nodeProfile.ManagedFields = nil
}

// Validate checks a new object.
func (strategy) Validate(_ context.Context, obj runtime.Object) field.ErrorList {
	nodeProfile := obj.(*v1beta1.NodeProfile)
	return append(validation.ValidateNodeProfile(nodeProfile),
		validation.ValidateNodeProfileStatusUpdate(nodeProfile, &v1beta1.NodeProfile{})...)
}

// PrepareForUpdate keeps the status, and what a newer version has stored.
func (strategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	newNodeProfile, oldNodeProfile := obj.(*v1beta1.NodeProfile), old.(*v1beta1.NodeProfile)
	newNodeProfile.Status = oldNodeProfile.Status
	newNodeProfile.Unknown = oldNodeProfile.Unknown
	newNodeProfile.ManagedFields = nil
}

// ValidateUpdate checks that the spec stays.
func (strategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	return validation.ValidateNodeProfileUpdate(obj.(*v1beta1.NodeProfile), old.(*v1beta1.NodeProfile))
}

// statusStrategy holds the rules for writes to nodeprofiles/status.
type statusStrategy struct {
	strategy
}

// NewStatusStrategy returns the rules for updates of a NodeProfile's status.
func NewStatusStrategy(typer runtime.ObjectTyper) rest.UpdateResetFieldsStrategy {
	return statusStrategy{strategy{resource.NewClusterScoped(typer)}}
}

// PrepareForUpdate takes everything but the status from the stored object.
func (statusStrategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	newNodeProfile, oldNodeProfile := obj.(*v1beta1.NodeProfile), old.(*v1beta1.NodeProfile)
	newNodeProfile.Spec = oldNodeProfile.Spec
	newNodeProfile.Unknown = oldNodeProfile.Unknown
	metav1.ResetObjectMetaForStatus(newNodeProfile, oldNodeProfile)
	newNodeProfile.ManagedFields = nil
}

// ValidateUpdate checks the new status.
func (statusStrategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	return validation.ValidateNodeProfileStatusUpdate(obj.(*v1beta1.NodeProfile), old.(*v1beta1.NodeProfile))
}

// DecisionStrategy returns the rules for writes of status.decisions. Who makes such a write takes the rest of the object as
// it is stored, and has checked the decisions.
func DecisionStrategy(ofSpec rest.RESTUpdateStrategy) rest.RESTUpdateStrategy {
	return decisionStrategy{ofSpec}
}

type decisionStrategy struct {
	rest.RESTUpdateStrategy
}

// PrepareForUpdate has nothing to do.
func (decisionStrategy) PrepareForUpdate(context.Context, runtime.Object, runtime.Object) {}

// ValidateUpdate checks nothing.
func (decisionStrategy) ValidateUpdate(context.Context, runtime.Object, runtime.Object) field.ErrorList {
	return nil
}
