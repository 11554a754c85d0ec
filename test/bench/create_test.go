// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
)

func TestStructuralSchema(t *testing.T) {
	type object = map[string]any
	var d document
	d.Components.Schemas = map[string]map[string]any{
		"a.Hold": {
			"type": "object", "x-kubernetes-group-version-kind": []any{},
			"properties": object{
				"metadata": object{"allOf": []any{object{"$ref": "#/components/schemas/a.Meta"}}, "default": object{}},
				"spec":     object{"allOf": []any{object{"$ref": "#/components/schemas/a.Spec"}}, "default": object{}, "description": "wanted"},
				"list":     object{"type": "array", "items": object{"$ref": "#/components/schemas/a.Item"}},
			},
		},
		"a.Spec": {
			"type": "object", "description": "a spec", "required": []any{"node"},
			"properties": object{"node": object{"type": "string", "default": ""}, "stage": object{"type": "string", "default": "Drain"}},
		},
		"a.Item": {"type": "integer"},
	}
	want := object{
		"type": "object",
		"properties": object{
			"metadata": object{"type": "object"},
			"spec": object{
				"type": "object", "description": "wanted", "required": []any{"node"},
				"properties": object{"node": object{"type": "string"}, "stage": object{"type": "string", "default": "Drain"}},
			},
			"list": object{"type": "array", "items": object{"type": "integer"}},
		},
	}
	got, err := d.custom("a.Hold")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("schema differs (-want +got):\n%s", diff)
	}
	if _, err := d.custom("a.Other"); err == nil {
		t.Error("a schema was made of nothing")
	}
}

func TestWebhookValidatesAsOurServerDoes(t *testing.T) {
	tests := map[string]struct {
		object, user, want string
	}{
		"valid":       {object: `{"metadata":{"name":"a"},"spec":{"nodeName":"n","requestor":"alice"}}`, user: "alice"},
		"another's":   {object: `{"metadata":{"name":"a"},"spec":{"nodeName":"n","requestor":"alice"}}`, user: "bob", want: "spec.requestor"},
		"no node":     {object: `{"metadata":{"name":"a"},"spec":{"requestor":"alice"}}`, user: "alice", want: "spec.nodeName: Required value"},
		"no object":   {object: `[]`, user: "alice", want: "could not read the object"},
		"wrong stage": {object: `{"metadata":{"name":"a"},"spec":{"nodeName":"n","requestor":"alice","stage":"Off"}}`, user: "alice", want: "spec.stage"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := validateCustom(&admissionv1.AdmissionRequest{
				Object: apiruntime.RawExtension{Raw: []byte(test.object)}, UserInfo: authenticationv1.UserInfo{Username: test.user},
			})
			if (err == nil) != (test.want == "") || (err != nil && !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestNumbers(t *testing.T) {
	tests := map[string]struct {
		value string
		want  numbers
		fails bool
	}{
		"one":     {value: "50", want: numbers{50}},
		"several": {value: "1,8,50", want: numbers{1, 8, 50}},
		"none":    {value: "", fails: true},
		"zero":    {value: "1,0", fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got numbers
			if err := got.Set(test.value); (err != nil) != test.fails {
				t.Errorf("got error %v", err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("numbers differ (-want +got):\n%s", diff)
			}
			if !test.fails && got.String() != test.value {
				t.Errorf("printed as %q, want %q", got.String(), test.value)
			}
		})
	}
}

func TestProcessorTimeOfThisProcess(t *testing.T) {
	begin := time.Now()
	before, err := processorTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for time.Since(begin) < 10*time.Second {
		after, err := processorTime(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if spent := after - before; spent >= 5*clockTick {
			if spent > time.Since(begin)*time.Duration(runtime.NumCPU())+2*clockTick {
				t.Errorf("spent %s within %s", spent, time.Since(begin))
			}
			return
		}
	}
	t.Error("a loop took no processor time")
}
