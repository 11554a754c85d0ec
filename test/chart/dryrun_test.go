// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"regexp"
	"strings"
	"testing"
)

// foreign are documents of kinds that the test's cluster does not know.
var foreign = regexp.MustCompile(`(?m)^apiVersion: (cert-manager\.io|monitoring\.coreos\.com)/`)

// The API server takes each object of each set of values, with no field that it does not know, and within the security
// standard that the namespace is to have.
func TestDryRun(t *testing.T) {
	for _, namespace := range []string{"dry-run", "firmware", "leases", "maintenance-secrets", "medik8s-leases", "node-maintenance", "sap", "shop"} {
		kubectl().Must(t, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"`+namespace+`"}}`, "apply", "--server-side", "-f", "-")
	}
	kubectl().Must(t, "", "label", "namespace", "dry-run", "pod-security.kubernetes.io/warn=restricted")
	for name, set := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rendered, err := render(t, append([]string{image}, set.values...), append(set.flags, "--namespace", "dry-run")...)
			if err != nil {
				t.Fatal(err)
			}
			var known []string
			for document := range strings.SplitSeq(rendered, "\n---\n") {
				if !set.unknown || !foreign.MatchString(document) {
					known = append(known, document)
				}
			}
			out := kubectl().Try(t, strings.Join(known, "\n---\n"), "apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-")
			if out.Code != 0 || out.Stderr != "" && !set.privileged {
				t.Errorf("exit code %d: %s", out.Code, out.Stderr)
			}
		})
	}
}
