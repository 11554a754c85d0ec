// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nodeprofile declares the resource nodeprofiles: its names, its rules for writes and its columns. Nothing in it
// does I/O.
package nodeprofile

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
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

		Strategy:        NewStrategy(scheme),
		StatusStrategy:  NewStatusStrategy(scheme),
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

func selectableFields(obj runtime.Object) (fields.Set, error) {
	nodeProfile, ok := obj.(*v1beta1.NodeProfile)
	if !ok {
		return nil, fmt.Errorf("expected a NodeProfile, got %T", obj)
	}
	selectable := generic.ObjectMetaFieldsSet(&nodeProfile.ObjectMeta, false)
	selectable[v1beta1.FieldNodeName] = nodeProfile.Spec.NodeName
	selectable[v1beta1.FieldProfile] = nodeProfile.Spec.Profile
	selectable[v1beta1.FieldState] = string(nodeProfile.Status.State)
	return selectable, nil
}
