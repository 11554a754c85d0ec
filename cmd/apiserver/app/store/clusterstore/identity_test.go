// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
)

// The first ID stays, whoever asks later.
func TestIdentify(t *testing.T) {
	lists := map[schema.GroupVersionResource]string{StoreKind.GVR(): "StoreList"}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists)
	first, err := Identify(t.Context(), client)
	if err != nil || first == "" {
		t.Fatalf("Identify = %q, %v, want an ID", first, err)
	}
	if again, err := Identify(t.Context(), client); err != nil || again != first {
		t.Errorf("Identify = %q, %v, want %q again", again, err, first)
	}
	if _, err := DecodeID(EncodeID("")); err == nil {
		t.Error("an object without an ID was accepted: the store would get a new one")
	}
}
