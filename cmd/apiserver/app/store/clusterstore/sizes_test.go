// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
	dynamicfake "k8s.io/client-go/dynamic/fake"
)

// What is written, and read, counts once, and what is deleted does not count any more.
func TestSizes(t *testing.T) {
	cluster := newTestCluster()
	giveVersions(cluster)
	s := newTestStore(t, cluster)
	s.Sizes = &Sizes{}
	pod := newPod("a")
	pod.Annotations = map[string]string{"large": strings.Repeat("x", 1000)}
	if err := s.Create(t.Context(), "/things/a", pod, &example.Pod{}, 0); err != nil {
		t.Fatal(err)
	}
	written := s.Sizes.Total()
	if written < 1000 || written > 2000 {
		t.Errorf("an object of 1,000 bytes counts as %d", written)
	}
	if err := s.Get(t.Context(), "/things/a", storage.GetOptions{}, &example.Pod{}); err != nil {
		t.Fatal(err)
	}
	if read := s.Sizes.Total(); read != written {
		t.Errorf("it counts as %d when it is read, and as %d when it is written", read, written)
	}
	if err := s.Delete(t.Context(), "/things/a", &example.Pod{}, nil, storage.ValidateAllObjectFunc, nil, storage.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if left := s.Sizes.Total(); left != 0 {
		t.Errorf("%d bytes count after all is deleted", left)
	}
}

// A deletion that no watch has told of does not count for ever.
func TestRecount(t *testing.T) {
	lists := map[schema.GroupVersionResource]string{}
	for _, kind := range kinds {
		lists[kind.GVR()] = kind.Name + "List"
	}
	kind := kinds[Resources()[0]]
	stored := Envelope{Name: "a", Data: []byte("12345")}.Encode(kind)
	cluster := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists)
	if err := cluster.Tracker().Create(kind.GVR(), stored, ""); err != nil {
		t.Fatal(err)
	}
	sizes := &Sizes{}
	sizes.set(kind, "", "gone", 1000)
	if err := sizes.Recount(t.Context(), cluster); err != nil {
		t.Fatal(err)
	}
	if got := sizes.Total(); got != 5 {
		t.Errorf("counted %d bytes, want 5", got)
	}
}
