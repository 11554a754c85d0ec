// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
)

// An update that changes nothing writes only what an older version did not repeat outside.
func TestUpdateRepeatsFields(t *testing.T) {
	for name, test := range map[string]struct {
		fields    map[string]any
		labels    map[string]string
		wantWrite bool
	}{
		"as this version writes it": {fields: map[string]any{"nodeName": ""}},
		"of a newer version":        {fields: map[string]any{"nodeName": "", "new": "x"}},
		"of an older version":       {wantWrite: true},
		"another value":             {fields: map[string]any{"nodeName": "other"}, wantWrite: true},
		"another label":             {fields: map[string]any{"nodeName": ""}, labels: map[string]string{"a": "b"}, wantWrite: true},
	} {
		t.Run(name, func(t *testing.T) {
			s, cluster := newStoreOfOne(t)
			envelopes := cluster.Resource(testKind.GVR())
			u, err := envelopes.Get(t.Context(), "a", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			unstructured.RemoveNestedField(u.Object, "fields")
			if test.fields != nil {
				u.Object["fields"] = test.fields
			}
			u.SetLabels(test.labels)
			if _, err := envelopes.Update(t.Context(), u, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			cluster.ClearActions()
			same := func(object runtime.Object, _ storage.ResponseMeta) (runtime.Object, *uint64, error) {
				return object, nil, nil
			}
			if err := s.GuaranteedUpdate(t.Context(), "/things/a", &example.Pod{}, false, nil, same, nil); err != nil {
				t.Fatal(err)
			}
			actions := cluster.Actions()
			if wrote := actions[len(actions)-1].GetVerb() == "update"; wrote != test.wantWrite {
				t.Errorf("the envelope is written: %t, want %t", wrote, test.wantWrite)
			}
		})
	}
}
