// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

func TestNodeProfileName(t *testing.T) {
	if got, want := NodeProfileName("worker-1.example", "flatcar"), "worker-1.example.flatcar"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	names := map[string]bool{}
	for cut := 225; cut < 250; cut++ { // the place of the cut may be a dot, or be beside one
		node := strings.Repeat("a", cut) + "." + strings.Repeat("-", cut%3) + "b"
		node = strings.ReplaceAll(node, ".-", "-") + strings.Repeat("c", 253-len(node))
		for _, profile := range []string{"flatcar", "esx"} {
			name := NodeProfileName(node, profile)
			if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
				t.Errorf("%q is no name: %v", name, problems)
			}
			if names[name] {
				t.Errorf("%q is the name of two", name)
			}
			names[name] = true
		}
	}
}
