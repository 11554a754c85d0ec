// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
)

// The first ID stays, whoever asks later.
func TestIdentify(t *testing.T) {
	client := newFakeCluster()
	first, err := Identify(t.Context(), client)
	if err != nil || first == "" {
		t.Fatalf("Identify = %q, %v, want an ID", first, err)
	}
	if again, err := Identify(t.Context(), client); err != nil || again != first {
		t.Errorf("Identify = %q, %v, want %q again", again, err, first)
	}
	if _, err := DecodeID(EncodeID(StoreName, "")); err == nil {
		t.Error("an object without an ID was accepted: the store would get a new one")
	}
}

// A store without an ID in which is something does not get one: it is a part of another store.
func TestIdentifyRefusesAPart(t *testing.T) {
	kind, err := KindOf(Resources()[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, object := range map[string]*unstructured.Unstructured{
		"an object":        Envelope{Name: "a", Data: []byte("{}")}.Encode(kind),
		"the mark of copy": EncodeID(CopyOfName, "other"),
	} {
		t.Run(name, func(t *testing.T) {
			client := newFakeCluster()
			resource := kind.GVR()
			if object.GetName() == CopyOfName {
				resource = StoreKind.GVR()
			}
			if _, err := client.Resource(resource).Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			if id, err := Identify(t.Context(), client); !errors.Is(err, ErrIncomplete) {
				t.Errorf("Identify = %q, %v, want %v", id, err, ErrIncomplete)
			}
		})
	}
}

func newFakeCluster() *dynamicfake.FakeDynamicClient {
	lists := map[schema.GroupVersionResource]string{StoreKind.GVR(): "StoreList"}
	for _, kind := range kinds {
		lists[kind.GVR()] = kind.Name + "List"
	}
	return dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists)
}
