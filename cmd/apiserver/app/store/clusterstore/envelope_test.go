// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var testKind = Kind{Resource: "storedthings", Name: "StoredThing", Fields: map[string]string{"spec.nodeName": "nodeName"}}

// An envelope survives the way through the cluster, whatever its data is.
func TestEnvelope(t *testing.T) {
	for name, test := range map[string]struct {
		envelope Envelope
		wantData any
	}{
		"plain": {
			envelope: Envelope{
				Name: "a", UID: "u", ResourceVersion: "7", Labels: map[string]string{"team": "x"},
				Fields: map[string]string{"nodeName": "worker-3"}, Data: []byte(`{"kind":"Thing","é":"\u0000"}`),
			},
			wantData: `{"kind":"Thing","é":"\u0000"}`,
		},
		"namespaced":         {envelope: Envelope{Namespace: "ns", Name: "a", Data: []byte("{}")}, wantData: "{}"},
		"not text":           {envelope: Envelope{Name: "a", Data: []byte{0xff, 0}}, wantData: "base64:/wA="},
		"looks like encoded": {envelope: Envelope{Name: "a", Data: []byte("base64:x")}, wantData: "base64:YmFzZTY0Ong="},
	} {
		t.Run(name, func(t *testing.T) {
			encoded := test.envelope.Encode(testKind)
			if data := encoded.Object["data"]; data != test.wantData {
				t.Errorf("data is %q, want %q", data, test.wantData)
			}
			if value := encoded.GetLabels()[LabelNoBackup]; value != "true" {
				t.Errorf("label %s is %q, want true", LabelNoBackup, value)
			}
			bytes, err := json.Marshal(encoded)
			if err != nil {
				t.Fatal(err)
			}
			stored := &unstructured.Unstructured{}
			if err := json.Unmarshal(bytes, stored); err != nil {
				t.Fatal(err)
			}
			got, err := Decode(stored)
			if err != nil {
				t.Fatal(err)
			}
			want := test.envelope
			if want.Labels == nil {
				want.Labels = map[string]string{}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("another envelope came back (-want +got):\n%s", diff)
			}
		})
	}
}

// What cannot be read is named.
func TestBadEnvelope(t *testing.T) {
	for name, test := range map[string]struct {
		object map[string]any
		want   string
	}{
		"no data":        {object: map[string]any{}, want: "it has no data"},
		"data of a kind": {object: map[string]any{"data": int64(1)}, want: "is of the type int64, expected string"},
		"no base64":      {object: map[string]any{"data": "base64:?"}, want: "its data is not base64"},
		"fields of a kind": {
			object: map[string]any{"data": "{}", "fields": map[string]any{"nodeName": int64(1)}},
			want:   "fields",
		},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: test.object}
			u.SetGroupVersionKind(GroupVersion.WithKind(testKind.Name))
			u.SetName("a")
			_, err := Decode(u)
			if err == nil || !strings.Contains(err.Error(), "StoredThing.store.maintenance.medik8s.io a") ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("Decode = %v, want an error that names the envelope and says %q", err, test.want)
			}
		})
	}
}

func TestKindOf(t *testing.T) {
	if _, err := KindOf(schema.GroupResource{Group: "g", Resource: "things"}); err == nil || !strings.Contains(err.Error(), "things.g") {
		t.Errorf("KindOf = %v, want an error that names the resource", err)
	}
	kind, err := KindOf(schema.GroupResource{Group: "maintenance.medik8s.io", Resource: "nodemaintenances"})
	if err != nil || kind.Resource != "storednodemaintenances" {
		t.Errorf("KindOf = %v, %v, want storednodemaintenances", kind, err)
	}
}
