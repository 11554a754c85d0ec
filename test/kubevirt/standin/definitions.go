// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

const (
	group   = "kubevirt.io"
	version = "v1"

	machineKind   = "VirtualMachineInstance"
	migrationKind = "VirtualMachineInstanceMigration"
)

var (
	machines    = schema.GroupVersionResource{Group: group, Version: version, Resource: "virtualmachineinstances"}
	migrations  = schema.GroupVersionResource{Group: group, Version: version, Resource: "virtualmachineinstancemigrations"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

// Install defines KubeVirt's kinds in the cluster, and returns when they are served.
func Install(ctx context.Context, client dynamic.Interface) error {
	for _, definition := range []*unstructured.Unstructured{
		definition(machineKind, machines, "vmi"), definition(migrationKind, migrations, "vmim"),
	} {
		_, err := client.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("could not define %s: %w", definition.GetName(), err)
		}
	}
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		return served(ctx, client, machines) && served(ctx, client, migrations), nil
	})
}

func served(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource) bool {
	_, err := client.Resource(resource).List(ctx, metav1.ListOptions{})
	return err == nil
}

func definition(kind string, resource schema.GroupVersionResource, short string) *unstructured.Unstructured {
	open := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": definitions.GroupVersion().String(), "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": resource.GroupResource().String()},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced",
			"names": map[string]any{
				"kind": kind, "listKind": kind + "List", "plural": resource.Resource,
				"singular": resource.Resource[:len(resource.Resource)-1], "shortNames": []any{short},
			},
			"versions": []any{map[string]any{
				"name": version, "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "properties": map[string]any{"spec": open, "status": open},
				}},
				"subresources":             map[string]any{"status": map[string]any{}},
				"additionalPrinterColumns": []any{column("Phase", ".status.phase"), column("VMI", ".spec.vmiName"), column("Node", ".status.nodeName")},
			}},
		},
	}}
}

func column(name, path string) map[string]any {
	return map[string]any{"name": name, "type": "string", "jsonPath": path}
}
