// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"net/http"
	"strings"
	"testing"
)

// Warnings of a create name only fields that the old kind has.
func TestOldWarningsOfBlockedPods(t *testing.T) {
	const want = `pods of node "worker-2" cannot leave it, however long you wait: 1 (shop/web); status.lastError says why`
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		hold := sample(version, "a", "worker-2")
		s.do("alice", http.MethodPost, in(version)+"?dryRun=All", asJSON, hold).want(t, http.StatusCreated).wantText(t, want)
		s.do("alice", http.MethodPost, in(version), asJSON, hold).want(t, http.StatusCreated).wantText(t, want)
	})
}

// The operators' words for a refusal do not say who is in the way; a warning does.
func TestOldRefusalsWarn(t *testing.T) {
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		s.create("bob", "own", "worker-1")
		for name, test := range map[string]struct{ node, want string }{
			"duplicate": {node: "worker-1", want: `node "worker-1" is in maintenance already: held by "own" of "bob" since `},
			"quorum":    {node: "cp-1", want: "1 of 1 members must stay; set spec.overrideQuorum in maintenance.medik8s.io"},
		} {
			hold := sample(version, "a", test.node)
			for verb, got := range map[string]answer{
				"create": s.do("alice", http.MethodPost, in(version), asJSON, hold),
				"apply":  s.do("alice", http.MethodPatch, in(version)+"/a?fieldManager=x", asApply, hold),
			} {
				got.want(t, http.StatusForbidden)
				if all := strings.ReplaceAll(strings.Join(got.warnings, "\n"), `\"`, `"`); !strings.Contains(all, test.want) {
					t.Errorf("%s, %s: got warnings %q, want %q", name, verb, got.warnings, test.want)
				}
			}
		}
	})
}
