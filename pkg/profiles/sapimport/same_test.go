// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// wantSame compares an instance with what is wanted, as YAML, but for its name.
func wantSame(t *testing.T, want string, got any) {
	t.Helper()
	var wanted, have map[string]any
	if err := yaml.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &have); err != nil {
		t.Fatal(err)
	}
	delete(have, "name")
	if diff := cmp.Diff(wanted, have); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
