// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"fmt"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceprofile"
)

func ofChecks(checks, before []maintenance.ProfileCheck) []profileNeed {
	var needs []profileNeed
	for i := range checks {
		if object := checks[i].Object; object != nil && !contains(before, &checks[i]) {
			path := fmt.Sprintf("spec.checks[%d].object", i)
			needs = append(needs, onResource(object.APIVersion, object.Resource, object.Namespace, path, "get", "list", "watch")...)
		}
	}
	return needs
}

// contains says whether a list has an item that is the same.
func contains[T any](list []T, item *T) bool {
	return slices.ContainsFunc(list, func(other T) bool { return apiequality.Semantic.DeepEqual(other, *item) })
}

// sameItems says whether two lists have the same items, whatever their order.
func sameItems[T any](list, other []T) bool {
	missing := func(item T) bool { return !contains(other, &item) }
	return len(list) == len(other) && !slices.ContainsFunc(list, missing)
}

// onResource are verbs on a resource. What is not a group and version was refused before.
func onResource(apiVersion, resource, namespace, why string, verbs ...string) []profileNeed {
	parsed, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil
	}
	var needs []profileNeed
	for _, verb := range verbs {
		needs = append(needs, onObjects(verb, parsed.WithResource(resource), namespace, why))
	}
	return needs
}

func onObjects(verb string, resource schema.GroupVersionResource, namespace, why string) profileNeed {
	return profileNeed{why: why, question: authorizer.AttributesRecord{
		Verb: verb, APIGroup: resource.Group, APIVersion: resource.Version, Resource: resource.Resource, Namespace: namespace,
	}}
}

// ofEndpoints is the verb use on each endpoint of a part that was not there before. What a part says counts as much as the
// endpoint that it names: a query reads, a recipient is written to.
func ofEndpoints(spec, before *maintenance.MaintenanceProfileSpec) []profileNeed {
	brought := &maintenance.MaintenanceProfileSpec{
		Checks: withoutKept(spec.Checks, before.Checks), Triggers: withoutKept(spec.Triggers, before.Triggers),
		Notifiers: withoutKept(spec.Notifiers, before.Notifiers),
	}
	asked := map[string]bool{}
	var needs []profileNeed
	for _, reference := range maintenanceprofile.Endpoints(brought) {
		if asked[reference.Name] {
			continue
		}
		asked[reference.Name] = true
		use := onObjects("use", v1beta1.SchemeGroupVersion.WithResource("maintenanceendpoints"), "", reference.Path.String())
		use.question.Name = reference.Name
		needs = append(needs, use)
	}
	return needs
}

// withoutKept has an empty item in the place of each one that was there before.
func withoutKept[T any](list, before []T) []T {
	left := slices.Clone(list)
	for i := range left {
		if contains(before, &left[i]) {
			var empty T
			left[i] = empty
		}
	}
	return left
}
