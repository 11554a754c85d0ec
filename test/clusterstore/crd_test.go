// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

var crds = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// storeClient returns a client of the store's, as admin.
func storeClient(t *testing.T) dynamic.Interface {
	t.Helper()
	client, err := clusterstore.NewClient(current.Config())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

var kindsMade atomic.Int32

// newKind makes a kind for the suite's pods, and waits until the cluster serves it.
func newKind(t *testing.T) clusterstore.Kind {
	t.Helper()
	number := kindsMade.Add(1)
	kind := clusterstore.Kind{
		Resource: fmt.Sprintf("storedpods%d", number), Name: fmt.Sprintf("StoredPod%d", number),
		Fields: map[string]string{"spec.nodeName": "nodeName"}, Namespaced: true,
	}
	client := storeClient(t)
	if _, err := client.Resource(crds).Create(t.Context(), definition(kind), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	env.Eventually(t, "the cluster serves "+kind.String(), func(ctx context.Context) string {
		if _, err := client.Resource(kind.GVR()).List(ctx, metav1.ListOptions{}); err != nil {
			return err.Error()
		}
		return ""
	})
	return kind
}

// definition is the CRD of a kind, as in the manifests.
func definition(kind clusterstore.Kind) *unstructured.Unstructured {
	text := map[string]any{"type": "string"}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": kind.String()},
		"spec": map[string]any{
			"group": clusterstore.GroupVersion.Group,
			"scope": "Namespaced",
			"names": map[string]any{"plural": kind.Resource, "kind": kind.Name},
			"versions": []any{map[string]any{
				"name": clusterstore.GroupVersion.Version, "served": true, "storage": true,
				"selectableFields": []any{map[string]any{"jsonPath": ".fields.nodeName"}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "required": []any{"data"},
					"properties": map[string]any{
						"data":   text,
						"fields": map[string]any{"type": "object", "properties": map[string]any{"nodeName": text}},
					},
				}},
			}},
		},
	}}
}
