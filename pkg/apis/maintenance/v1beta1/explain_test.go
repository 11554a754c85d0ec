// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1_test

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/openapi"
)

// TestExplain shows that kubectl explain teaches each check and each trigger: every field says what it is, and what must
// be set has an example.
func TestExplain(t *testing.T) {
	definitions := openapi.GetOpenAPIDefinitions(func(string) spec.Ref { return spec.Ref{} })
	for _, union := range []reflect.Type{reflect.TypeFor[v1beta1.ProfileCheck](), reflect.TypeFor[v1beta1.ProfileTrigger]()} {
		for i := range union.NumField() {
			field := union.Field(i)
			if field.Type.Kind() != reflect.Pointer || field.Type.Elem().Kind() != reflect.Struct {
				continue
			}
			t.Run(field.Name, func(t *testing.T) {
				named, is := reflect.New(field.Type.Elem()).Interface().(interface{ OpenAPIModelName() string })
				if !is {
					t.Fatal("it has no name in OpenAPI")
				}
				wantExplained(t, definitions[named.OpenAPIModelName()])
			})
		}
	}
}

// TestExplainEvents shows that kubectl explain says what each field of a ScheduledEvent is.
func TestExplainEvents(t *testing.T) {
	definitions := openapi.GetOpenAPIDefinitions(func(string) spec.Ref { return spec.Ref{} })
	for _, part := range []interface{ OpenAPIModelName() string }{
		v1beta1.ScheduledEventSpec{}, v1beta1.ScheduledEventStatus{}, v1beta1.PolicyEvents{}, v1beta1.PolicyReplacement{},
	} {
		t.Run(part.OpenAPIModelName(), func(t *testing.T) { wantExplained(t, definitions[part.OpenAPIModelName()]) })
	}
}

func wantExplained(t *testing.T, of common.OpenAPIDefinition) {
	t.Helper()
	text := of.Schema.Description
	for name, property := range of.Schema.Properties {
		if !strings.HasPrefix(property.Description, name) {
			t.Errorf("%s is not explained: %q", name, property.Description)
		}
		text += " " + property.Description
	}
	if len(of.Schema.Required) > 0 && !strings.Contains(strings.ToLower(text), "such as") {
		t.Errorf("it has no example: %s", text)
	}
}
