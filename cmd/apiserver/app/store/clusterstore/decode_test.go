// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage"
	dynamicfake "k8s.io/client-go/dynamic/fake"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/stored"
)

// An envelope with the data of another object cannot be read, as any corrupt one. The others can.
func TestDataOfAnotherObject(t *testing.T) {
	kind, err := KindOf(schema.GroupResource{Group: maintenance.GroupName, Resource: "nodemaintenances"})
	if err != nil {
		t.Fatal(err)
	}
	envelope := func(name, inside string) runtime.Object {
		data, err := runtime.Encode(stored.Codec, &maintenance.NodeMaintenance{ObjectMeta: metav1.ObjectMeta{Name: inside}})
		if err != nil {
			t.Fatal(err)
		}
		return Envelope{Name: name, ResourceVersion: "7", Data: data}.Encode(kind)
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{kind.GVR(): kind.Name + "List"}, envelope("good", "good"), envelope("copy", "good"))
	s := New(Config{Client: client, Kind: kind, Codec: stored.Codec, Prefix: "/things"})
	defer s.Close()
	if err := s.Get(t.Context(), "/things/good", storage.GetOptions{}, &maintenance.NodeMaintenance{}); err != nil {
		t.Errorf("the other object cannot be read: %v", err)
	}
	err = s.Get(t.Context(), "/things/copy", storage.GetOptions{}, &maintenance.NodeMaintenance{})
	want := "StoredNodeMaintenance.store.maintenance.medik8s.io copy has the data of another object, good"
	if !storage.IsCorruptObject(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("Get = %v, want that of a corrupt object that says %q", err, want)
	}
}
