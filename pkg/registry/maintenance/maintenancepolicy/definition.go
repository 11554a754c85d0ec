// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package maintenancepolicy declares the resource maintenancepolicies: its names, its rules for writes and
// its columns. Nothing in it does I/O.
package maintenancepolicy

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
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

		Strategy:       rules.Strategy(scheme),
		StatusStrategy: rules.StatusStrategy(scheme),
		Limit:          &limit,
		Table:          newTable(),

		Wrap: wrap,
	}
}

// rules are those for writes of MaintenancePolicies. RBAC decides who may write the status.
var rules = resource.Rules[*v1beta1.MaintenancePolicy, v1beta1.MaintenancePolicySpec, v1beta1.MaintenancePolicyStatus]{
	Spec:   func(p *v1beta1.MaintenancePolicy) *v1beta1.MaintenancePolicySpec { return &p.Spec },
	Status: func(p *v1beta1.MaintenancePolicy) *v1beta1.MaintenancePolicyStatus { return &p.Status },
	PrepareStatus: func(_ context.Context, policy, _ *v1beta1.MaintenancePolicy) {
		policy.Status.NextOpenings = nil // only the answer to a dry run has them
	},
	Validate: func(_ context.Context, policy *v1beta1.MaintenancePolicy) field.ErrorList {
		return validation.ValidateMaintenancePolicy(policy)
	},
	ValidateUpdate: validation.ValidateMaintenancePolicyUpdate,
	ValidateStatus: validation.ValidateMaintenancePolicyStatusUpdate,
}
