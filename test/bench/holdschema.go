// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// document is the part of an OpenAPI document that has the schemas, by name.
type document struct {
	Components struct {
		Schemas map[string]map[string]any
	}
}

// holdSchema is the schema of a NodeMaintenance in our server's OpenAPI document, in the
// form that a custom resource's has to have: without references, and without the schema
// of the metadata.
func holdSchema(ctx context.Context, client discovery.DiscoveryInterface) (map[string]any, error) {
	var ours openapi.GroupVersion
	// kube-apiserver fetches the document some time after it has found our server.
	err := wait.PollUntilContextTimeout(ctx, pollInterval, startTimeout, true, func(context.Context) (found bool, err error) {
		paths, err := client.OpenAPIV3().Paths()
		ours, found = paths["apis/"+v1beta1.SchemeGroupVersion.String()]
		return found, err
	})
	if err != nil {
		return nil, fmt.Errorf("could not find the OpenAPI document of %s: %w", v1beta1.SchemeGroupVersion, err)
	}
	raw, err := ours.Schema(runtime.ContentTypeJSON)
	if err != nil {
		return nil, fmt.Errorf("could not get an OpenAPI document: %w", err)
	}
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, fmt.Errorf("could not read an OpenAPI document: %w", err)
	}
	return d.custom(v1beta1.NodeMaintenance{}.OpenAPIModelName())
}

// custom is the schema of that name as that of a custom resource.
func (d *document) custom(name string) (map[string]any, error) {
	found, ok := d.Components.Schemas[name]
	if !ok {
		return nil, fmt.Errorf("found no schema %q", name)
	}
	whole := d.structural(found)
	whole["properties"].(map[string]any)["metadata"] = map[string]any{"type": "object"}
	return whole, nil
}

// structural is a schema with what it refers to in place of the references.
func (d *document) structural(object map[string]any) map[string]any {
	inlined := map[string]any{}
	if name, ok := object["$ref"].(string); ok {
		maps.Copy(inlined, d.structural(d.Components.Schemas[path.Base(name)]))
	}
	if all, ok := object["allOf"].([]any); ok {
		for _, one := range all {
			maps.Copy(inlined, d.structural(one.(map[string]any)))
		}
	}
	for key, value := range object {
		switch key {
		case "$ref", "allOf", "x-kubernetes-group-version-kind", "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy":
			// a custom resource's schema does not have them
		case "properties":
			required, _ := object["required"].([]any)
			inlined[key] = d.structuralEach(value.(map[string]any), required)
		case "items", "additionalProperties":
			inlined[key] = d.structural(value.(map[string]any))
		default:
			inlined[key] = value
		}
	}
	return inlined
}

// structuralEach leaves out defaults that are what Go has for nothing, where that is not
// valid: of required properties, and of objects that have some.
func (d *document) structuralEach(properties map[string]any, required []any) map[string]any {
	inlined := map[string]any{}
	for name, property := range properties {
		whole := d.structural(property.(map[string]any))
		if slices.Contains(required, any(name)) || whole["required"] != nil {
			delete(whole, "default")
		}
		inlined[name] = whole
	}
	return inlined
}
