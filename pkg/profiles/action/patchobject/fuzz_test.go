// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package patchobject

import (
	"runtime"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxAllocated is how many bytes it takes at most to record a patch and to make the request of it, for each byte of the
// patch and of the object. A value in a map takes far more than its text.
const maxAllocated = 1000

// FuzzPatch looks for patches that panic, take much memory, or would be sent again and again. CI tries the examples alone.
func FuzzPatch(f *testing.F) {
	const object = `{"metadata":{"name":"a","uid":"u","resourceVersion":"9"},"spec":{"list":[1,{"a":null}],"n":1e3,"deep":{"deep":{}}}}`
	for _, patch := range []string{
		`{}`, `{"spec":{"list":[2]}}`, `{"spec":null}`, `{"spec":{"deep":{"deep":{"a":{"b":null}}}}}`, `{"metadata":{"uid":"other"}}`,
		`{"metadata":{"labels":{"a":"b"}}}`, `{"metadata":"x"}`, `{"spec":{"n":1000}}`, `{"":{"":[]}}`, `{"a":9223372036854775807,"b":-0.0}`,
		`{"a":"\ud800"}`, `{"a":` + strings.Repeat(`{"a":`, 2000) + `1` + strings.Repeat(`}`, 2000) + `}`,
		`{"a":` + strings.Repeat(`[`, 2000) + strings.Repeat(`]`, 2000) + `}`, `{"a":{"x":1,"x":2}}`, `{"spec":[{"a":null}],"new":{"a":{"b":null}}}`,
	} {
		f.Add(patch, object)
	}
	f.Fuzz(func(t *testing.T, patch, object string) {
		var made map[string]any
		var stored unstructured.Unstructured
		if json.Unmarshal([]byte(patch), &made) != nil || made == nil || json.Unmarshal([]byte(object), &stored.Object) != nil || stored.GetUID() == "" {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		text, err := record(made, stored.GetUID())
		if err != nil {
			return
		}
		body := bodyOf(t, text, &stored)
		runtime.ReadMemStats(&after)
		allocated, most := after.TotalAlloc-before.TotalAlloc, maxAllocated*(len(patch)+len(object)+1000)
		if len(text) > v1beta1.MaxPatchBytes || allocated > uint64(most) {
			t.Errorf("a patch of %d bytes took %d KiB, want at most %d", len(text), allocated>>10, most>>10)
		}
		is := &stored
		for range 2 { // nulls in a list that replaces a map stay at first
			if body == nil {
				return
			}
			is = applied(t, is, body)
			body = bodyOf(t, text, is)
		}
		if body != nil {
			t.Errorf("it was applied twice, and is sent again: %s", body)
		}
	})
}

func applied(t *testing.T, object *unstructured.Unstructured, body []byte) *unstructured.Unstructured {
	t.Helper()
	before, err := json.Marshal(object.Object)
	if err != nil {
		t.Fatal(err)
	}
	after, err := jsonpatch.MergePatch(before, body)
	if err != nil {
		t.Fatalf("what is sent cannot be applied: %v: %s", err, body)
	}
	made := &unstructured.Unstructured{}
	if err := json.Unmarshal(after, &made.Object); err != nil {
		t.Fatal(err)
	}
	return made
}

// bodyOf is what is sent for a recorded patch; nil: nothing.
func bodyOf(t *testing.T, text string, object *unstructured.Unstructured) []byte {
	t.Helper()
	read, err := decode(text)
	if err != nil {
		t.Fatalf("what was recorded cannot be read: %v: %s", err, text)
	}
	body, err := read.bodyFor(object)
	if err != nil {
		t.Logf("it is not sent: %v", err)
	}
	return body
}
