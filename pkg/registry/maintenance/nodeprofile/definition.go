// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nodeprofile declares the resource nodeprofiles: its names, its rules for writes and its columns. Nothing in it
// does I/O.
package nodeprofile

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/serveronly"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// Plural is the resource's name in URLs and in RBAC rules.
const Plural = "nodeprofiles"

// errServerOnly is what everybody is told who writes but the server.
var errServerOnly = errors.New("only maintenance-apiserver itself writes NodeProfiles, as its record of where each node is; " +
	"to decide on one, POST to its subresource decision; to change what happens, change the MaintenanceProfile (kubectl get mprof)")

// Definition declares the resource nodeprofiles. The scheme must know its types. It is in no category, since there are
// some for each node.
func Definition(scheme *runtime.Scheme) resource.Definition {
	return resource.Definition{
		Group:      v1beta1.GroupName,
		Plural:     Plural,
		Singular:   "nodeprofile",
		ShortNames: []string{"nprof"},

		New:     func() runtime.Object { return &v1beta1.NodeProfile{} },
		NewList: func() runtime.Object { return &v1beta1.NodeProfileList{} },

		Strategy:        rules.Strategy(scheme),
		StatusStrategy:  rules.StatusStrategy(scheme),
		AuthorizeUpdate: serveronly.Status(Plural, errServerOnly),
		Table:           table,

		Fields:       selectableFields,
		IndexedField: v1beta1.FieldNodeName,

		Redact: redact,
		Wrap:   serveronly.Wrap(Plural, errServerOnly),
	}
}

// hidden stands for what is not shown.
const hidden = "(not shown)"

// redact hides the patches that are recorded: expressions have made them from objects that readers may not read.
func redact(obj runtime.Object) runtime.Object {
	nodeProfile, is := obj.(*v1beta1.NodeProfile)
	if !is || nodeProfile.Status.Transition == nil || !slices.ContainsFunc(nodeProfile.Status.Transition.Steps, hasPatch) {
		return obj
	}
	nodeProfile = nodeProfile.DeepCopy()
	for i := range nodeProfile.Status.Transition.Steps {
		if step := &nodeProfile.Status.Transition.Steps[i]; hasPatch(*step) {
			step.Patch = hidden
		}
	}
	return nodeProfile
}

func hasPatch(step v1beta1.TransitionStep) bool { return step.Patch != "" }

func selectableFields(obj runtime.Object) fields.Set {
	nodeProfile := obj.(*v1beta1.NodeProfile)
	return fields.Set{
		v1beta1.FieldNodeName: nodeProfile.Spec.NodeName,
		v1beta1.FieldProfile:  nodeProfile.Spec.Profile,
		v1beta1.FieldState:    string(nodeProfile.Status.State),
	}
}

// rules are those for writes of NodeProfiles. The server creates one with the state that the node is in.
var rules = resource.Rules[*v1beta1.NodeProfile, v1beta1.NodeProfileSpec, v1beta1.NodeProfileStatus]{
	Spec:       func(n *v1beta1.NodeProfile) *v1beta1.NodeProfileSpec { return &n.Spec },
	Status:     func(n *v1beta1.NodeProfile) *v1beta1.NodeProfileStatus { return &n.Status },
	ServersOwn: true,
	Validate: func(_ context.Context, nodeProfile *v1beta1.NodeProfile) field.ErrorList {
		return append(validation.ValidateNodeProfile(nodeProfile), validation.ValidateNodeProfileStatusUpdate(nodeProfile, &v1beta1.NodeProfile{})...)
	},
	ValidateUpdate: validation.ValidateNodeProfileUpdate,
	ValidateStatus: validation.ValidateNodeProfileStatusUpdate,
}
