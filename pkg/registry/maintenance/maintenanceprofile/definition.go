// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package maintenanceprofile declares the resource maintenanceprofiles: its names, its rules for writes, what it warns of
// and its columns. Nothing in it does I/O.
package maintenanceprofile

import (
	"cmp"
	"context"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
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

		Strategy:       rules.Strategy(scheme),
		StatusStrategy: rules.StatusStrategy(scheme),
		Limit:          newLimit(bytes),
		Table:          table,

		Wrap: wrap,
	}
}

// AliasOf is what labels of nodes call the profile.
func AliasOf(profile *v1beta1.MaintenanceProfile) string {
	return cmp.Or(profile.Spec.Alias, profile.Name)
}

// rules are those for writes of MaintenanceProfiles. What they warn of depends on other profiles, so the storage does that.
// RBAC decides who may write the status.
var rules = resource.Rules[*v1beta1.MaintenanceProfile, v1beta1.MaintenanceProfileSpec, v1beta1.MaintenanceProfileStatus]{
	Spec:          func(p *v1beta1.MaintenanceProfile) *v1beta1.MaintenanceProfileSpec { return &p.Spec },
	Status:        func(p *v1beta1.MaintenanceProfile) *v1beta1.MaintenanceProfileStatus { return &p.Status },
	Finalizer:     v1beta1.DetachFinalizer, // without it, nodes would stay in maintenance that nobody ends
	FinalizerEnds: func(*v1beta1.MaintenanceProfile) string { return "the profile is off all of its nodes" },
	PrepareCreate: func(ctx context.Context, profile *v1beta1.MaintenanceProfile) {
		profile.Status.Author = caller.Author(ctx)
	},
	PrepareUpdate: func(ctx context.Context, profile, old *v1beta1.MaintenanceProfile) {
		if !OnlyDoesLess(profile, old) {
			profile.Status.Author = caller.Author(ctx)
		}
	},
	PrepareStatus: func(_ context.Context, profile, old *v1beta1.MaintenanceProfile) {
		profile.Status.Author = old.Status.Author
		profile.Status.Preview = nil // only the answer to a dry run has it
	},
	Validate: func(_ context.Context, profile *v1beta1.MaintenanceProfile) field.ErrorList {
		return validation.ValidateMaintenanceProfile(profile)
	},
	ValidateUpdate: validation.ValidateMaintenanceProfileUpdate,
	ValidateStatus: validation.ValidateMaintenanceProfileStatusUpdate,
}

// activity orders the modes by how much they do.
var activity = map[v1beta1.ProfileMode]int{v1beta1.ProfilePaused: 0, v1beta1.ProfileDryRun: 1, v1beta1.ProfileActive: 2}

// OnlyDoesLess says whether nothing of the spec changes but the mode, to one that does as much or less. Who writes that
// vouches for nothing.
func OnlyDoesLess(profile, old *v1beta1.MaintenanceProfile) bool {
	changed := profile.Spec
	changed.Mode = old.Spec.Mode
	return activity[profile.Spec.Mode] <= activity[old.Spec.Mode] && apiequality.Semantic.DeepEqual(changed, old.Spec)
}
