// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceprofile"
)

// ofChecks are the verbs on the objects of checks, and the verb use on the pools that they take places of: teams share
// these, and a place may be taken for long.
func ofChecks(checks []v1beta1.ProfileCheck) []profileNeed {
	var needs []profileNeed
	for i := range checks {
		path := fmt.Sprintf("spec.checks[%d]", i)
		if object := checks[i].Object; object != nil {
			needs = append(needs, onResource(object.APIVersion, object.Resource, object.Namespace, path+".object", "profiles.readObjects", "get", "list", "watch")...)
		}
		if stagger := checks[i].Stagger; stagger != nil {
			needs = append(needs, toUse("maintenancepools", stagger.Pool, path+".stagger.pool"))
		}
	}
	return needs
}

// toUse is the verb use on something of ours.
func toUse(resource, name, why string) profileNeed {
	use := onObjects("use", v1beta1.SchemeGroupVersion.WithResource(resource), "", why)
	use.question.Name = name
	return use
}

// onResource are verbs on a resource. What is not a group and version was refused before.
func onResource(apiVersion, resource, namespace, why, value string, verbs ...string) []profileNeed {
	parsed, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil
	}
	var needs []profileNeed
	for _, verb := range verbs {
		need := onObjects(verb, parsed.WithResource(resource), namespace, why)
		need.value = value
		needs = append(needs, need)
	}
	return needs
}

func onObjects(verb string, resource schema.GroupVersionResource, namespace, why string) profileNeed {
	return profileNeed{why: why, question: authorizer.AttributesRecord{
		Verb: verb, APIGroup: resource.Group, APIVersion: resource.Version, Resource: resource.Resource, Namespace: namespace,
	}}
}

// ofEndpoints is the verb use on each endpoint.
func ofEndpoints(spec *v1beta1.MaintenanceProfileSpec) []profileNeed {
	asked := map[string]bool{}
	var needs []profileNeed
	for _, reference := range maintenanceprofile.Endpoints(spec) {
		if !asked[reference.Name] {
			asked[reference.Name] = true
			needs = append(needs, toUse(endpoints, reference.Name, reference.Path.String()))
		}
	}
	return needs
}
