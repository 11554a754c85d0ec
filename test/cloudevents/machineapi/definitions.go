// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machineapi

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// kind is what differs between the kinds.
type kind struct {
	// resource is the kind's resource in the version that is stored.
	resource schema.GroupVersionResource
	name     string
	versions []string
	short    string
	// scale says that the kind has the subresource scale.
	scale bool
}

func (k kind) definition() *unstructured.Unstructured {
	names := map[string]any{
		"kind": k.name, "listKind": k.name + "List", "plural": k.resource.Resource, "singular": strings.ToLower(k.name),
	}
	if k.short != "" {
		names["shortNames"] = []any{k.short}
	}
	var versions []any
	for _, version := range k.versions {
		versions = append(versions, k.version(version))
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": definitions.GroupVersion().String(), "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": k.resource.GroupResource().String()},
		"spec":     map[string]any{"group": k.resource.Group, "scope": "Namespaced", "names": names, "versions": versions},
	}}
}

// version is a version of the kind. Versions differ in fields alone, and any are kept.
func (k kind) version(name string) map[string]any {
	spec := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	status := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	subresources := map[string]any{"status": map[string]any{}}
	if k.scale {
		count := map[string]any{"replicas": map[string]any{"type": "integer", "format": "int32"}}
		spec["properties"], status["properties"] = count, count
		subresources["scale"] = map[string]any{
			"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector",
		}
	}
	return map[string]any{
		"name": name, "served": true, "storage": name == k.resource.Version, "subresources": subresources,
		"schema": map[string]any{"openAPIV3Schema": map[string]any{
			"type": "object", "properties": map[string]any{"spec": spec, "status": status},
		}},
	}
}
