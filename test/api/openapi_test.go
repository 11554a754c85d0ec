// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// definitionPrefix is what the names of our types begin with in OpenAPI.
const definitionPrefix = "io.medik8s.maintenance.v1beta1."

// openAPI is what a document of either version has in common.
type openAPI struct {
	Paths       map[string]map[string]any
	Definitions map[string]map[string]any
	Components  struct{ Schemas map[string]map[string]any }
}

// fetchOpenAPI waits for the document: the aggregator has it a moment after it
// found the API available.
func fetchOpenAPI(t *testing.T, path string) openAPI {
	t.Helper()
	var got answer
	env.Eventually(t, "OpenAPI document "+path, func(context.Context) string {
		if got = admin(t).get(t, path); got.code != http.StatusOK {
			return fmt.Sprintf("answered with %d", got.code)
		}
		return ""
	})
	var document openAPI
	if err := json.Unmarshal(got.body, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// definitions are our types in the OpenAPI v3 document.
func definitions(t *testing.T) map[string]map[string]any {
	t.Helper()
	return ours(t, fetchOpenAPI(t, "/openapi/v3"+groupVersion).Components.Schemas)
}

func ours(t *testing.T, all map[string]map[string]any) map[string]map[string]any {
	t.Helper()
	found := map[string]map[string]any{}
	for name, schema := range all {
		if short, ok := strings.CutPrefix(name, definitionPrefix); ok {
			found[short] = schema
		}
	}
	for _, want := range []string{
		"NodeMaintenance", "NodeMaintenanceList", "NodeMaintenanceSpec", "NodeMaintenanceStatus", "DrainSpec", "DrainBlocker", "NodeBefore",
	} {
		if found[want] == nil {
			t.Errorf("OpenAPI has no type %s%s", definitionPrefix, want)
		}
	}
	return found
}

func TestOpenAPIV3(t *testing.T) {
	t.Parallel()
	document := fetchOpenAPI(t, "/openapi/v3"+groupVersion)
	wantPaths(t, document.Paths)
	types := definitions(t)
	if required := types["NodeMaintenanceSpec"]["required"]; !slices.Equal(asStrings(required), []string{"nodeName"}) {
		t.Errorf("the spec requires %v, want nodeName alone", required)
	}
	kinds, err := json.Marshal(types["NodeMaintenance"]["x-kubernetes-group-version-kind"])
	if err != nil {
		t.Fatal(err)
	}
	wantContains(t, "kind of NodeMaintenance", string(kinds), `"group":"maintenance.medik8s.io"`, `"kind":"NodeMaintenance"`, `"version":"v1beta1"`)
}

// The aggregator merges our document into its own of version 2, which older
// clients read, some time after the server has appeared.
func TestOpenAPIV2(t *testing.T) {
	t.Parallel()
	caller := admin(t)
	env.Eventually(t, "our paths in the aggregator's OpenAPI v2", func(context.Context) string {
		if !strings.Contains(string(caller.get(t, "/openapi/v2").want(t, http.StatusOK).body), `"`+collection+`"`) {
			return "not there"
		}
		return ""
	})
	document := fetchOpenAPI(t, "/openapi/v2")
	wantPaths(t, document.Paths)
	ours(t, document.Definitions)
}

func wantPaths(t *testing.T, paths map[string]map[string]any) {
	t.Helper()
	for path, verbs := range map[string][]string{
		collection:                    {"get", "post", "delete"},
		collection + "/{name}":        {"get", "put", "patch", "delete"},
		collection + "/{name}/status": {"get", "put", "patch"},

		nodesPath:                         {"get"},
		nodesPath + "/{name}":             {"get"},
		nodesPath + "/{name}/maintenance": {"get", "post", "delete"},
		nodesPath + "/{name}/drainplan":   {"get"},
	} {
		for _, verb := range verbs {
			if paths[path][verb] == nil {
				t.Errorf("OpenAPI has no %s %s", verb, path)
			}
		}
	}
}

func asStrings(list any) []string {
	var texts []string
	items, _ := list.([]any)
	for _, item := range items {
		text, _ := item.(string)
		texts = append(texts, text)
	}
	return texts
}
