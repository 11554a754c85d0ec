// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestVersionThatIsNotKnown starts the server with an object in a version of the API that only a later release
// knows. It does not become ready, and its log says why.
func TestVersionThatIsNotKnown(t *testing.T) {
	s := newStore(t)
	server := replaceServer(t, s)
	s.putValue(t, idKey, "later")
	s.put(t, "later", map[string]any{
		"apiVersion": "maintenance.medik8s.io/v1", "kind": "NodeMaintenance", "metadata": map[string]any{"name": "later", "uid": "u"},
	})
	if err := server.Launch(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Kill(); err != nil {
			t.Error(err)
		}
	})
	env.Eventually(t, "the log names the version", func(context.Context) string {
		log, err := os.ReadFile(server.LogPath())
		if err != nil {
			return err.Error()
		}
		if !strings.Contains(string(log), `no kind "NodeMaintenance" is registered for version "maintenance.medik8s.io/v1"`) {
			return string(log[max(0, len(log)-1000):])
		}
		return ""
	})
	if err := server.ReportsReady(t.Context()); err == nil {
		t.Error("the server reports that it is ready")
	}
	if _, err := s.client.Delete(t.Context(), holds+"later"); err != nil {
		t.Fatal(err)
	}
	env.Eventually(t, "the server is ready once the object is gone", func(ctx context.Context) string {
		if err := server.ReportsReady(ctx); err != nil {
			return err.Error()
		}
		return ""
	})
}
