// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tomorrow is a field that a later version has in each object of a hold.
const tomorrow = "tomorrow"

// objects are the objects of a stored hold, those of lists not counted.
var objects = [][]string{{}, {"metadata"}, {"spec"}, {"spec", "drain"}, {"status"}, {"status", "nodeBefore"}}

// addTomorrow makes of a stored hold what a later version might have stored.
func addTomorrow(object map[string]any) {
	for _, path := range objects {
		if of := in(object, path...); of != nil {
			of[tomorrow] = map[string]any{"at": strings.Join(path, "."), "list": []any{true, "x"}}
		}
	}
	rules, _ := in(object, "spec", "drain")["rules"].([]any)
	for _, rule := range rules {
		rule.(map[string]any)[tomorrow] = "rule"
	}
}

// tomorrowIn are the objects of a hold that have the field, with the value that addTomorrow gave it.
func tomorrowIn(object map[string]any) (paths []string) {
	for _, path := range objects {
		at := strings.Join(path, ".")
		if cmp.Equal(in(object, path...)[tomorrow], any(map[string]any{"at": at, "list": []any{true, "x"}})) {
			paths = append(paths, "/"+at)
		}
	}
	rules, _ := in(object, "spec", "drain")["rules"].([]any)
	for _, rule := range rules {
		if rule.(map[string]any)[tomorrow] == "rule" {
			paths = append(paths, "/rule")
		}
	}
	return paths
}

// wantTomorrow wants all of the later version's fields to be stored still, without some.
func wantTomorrow(t *testing.T, s *store, name string, without ...string) {
	t.Helper()
	want := slices.DeleteFunc([]string{"/", "/metadata", "/spec", "/spec.drain", "/status", "/status.nodeBefore", "/rule"},
		func(path string) bool { return slices.Contains(without, path) })
	if diff := cmp.Diff(want, tomorrowIn(s.get(t, name))); diff != "" {
		t.Errorf("hold %s has the later version's fields in (-want +got):\n%s", name, diff)
	}
}
