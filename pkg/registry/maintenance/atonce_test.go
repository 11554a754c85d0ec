// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"net/http"
	"sync"
	"testing"
)

// Requests that list the same at the same time get the same, each in its own form.
func TestListsAtOnce(t *testing.T) {
	s := startServer(t)
	for _, name := range []string{"a", "b", "c"} {
		s.create("alice", name, "worker-1")
	}
	forms := []string{
		asJSON, asTable, "application/yaml", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
	}
	want := map[string]string{}
	for _, form := range forms {
		want[form] = string(s.do("alice", http.MethodGet, collection, form, "").want(t, http.StatusOK).body)
	}
	var running sync.WaitGroup
	for i := range 40 {
		running.Go(func() {
			form := forms[i%len(forms)]
			if got := s.do("alice", http.MethodGet, collection, form, ""); form != asTable && string(got.body) != want[form] {
				t.Errorf("as %s: got %s, want %s", form, got.body, want[form])
			} else if got.code != http.StatusOK {
				t.Errorf("as %s: got %d", form, got.code)
			}
		})
	}
	running.Wait()
}
