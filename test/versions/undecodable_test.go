// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestVersionThatIsNotKnown starts the server with an object in a version of the API that only a later release
// knows. It sets that object aside: it becomes ready, and its log and kubectl say why nothing is done for the object.
func TestVersionThatIsNotKnown(t *testing.T) {
	s := newStore(t)
	server := replaceServer(t, s)
	s.putValue(t, idKey, "later")
	s.put(t, "later", map[string]any{
		"apiVersion": "maintenance.medik8s.io/v1", "kind": "NodeMaintenance", "metadata": map[string]any{"name": "later", "uid": "u"},
		"spec": map[string]any{"nodeName": "absent"},
	})
	before := s.get(t, "later")
	start(t, server)
	const why = `no kind "NodeMaintenance" is registered for version "maintenance.medik8s.io/v1"`
	env.Eventually(t, "the log names the version", func(context.Context) string {
		log, err := os.ReadFile(server.LogPath())
		if err != nil {
			return err.Error()
		}
		if !strings.Contains(strings.ReplaceAll(string(log), `\"`, `"`), why) {
			return string(log[max(0, len(log)-1000):])
		}
		return ""
	})
	env.WaitForMetric(t, server, env.UnreadableHolds, "1")
	kubectl := env.Current(t).Kubectl()
	const resource = "nodemaintenances.maintenance.medik8s.io"
	if listed := kubectl.Try(t, "", "get", resource); listed.Code != 0 || !strings.Contains(listed.Stdout, "absent") || !strings.Contains(listed.Stderr, why) {
		t.Errorf("kubectl get: exit code %d, prints %s, and warns %s", listed.Code, listed.Stdout, listed.Stderr)
	}
	if diff := cmp.Diff(before, s.get(t, "later")); diff != "" {
		t.Errorf("what is stored has changed (-before +after):\n%s", diff)
	}
	kubectl.Must(t, "", "delete", resource, "later")
	env.WaitForMetric(t, server, env.UnreadableHolds, "0")
}

// TestOneBadObject damages an object in an external etcd.
func TestOneBadObject(t *testing.T) {
	s := newStore(t)
	server := replaceServer(t, s)
	start(t, server)
	pool := env.Current(t).NewPool(t, 2)
	var before map[string]any
	pool.WantSetAside(t, server, func(name string) {
		before = s.get(t, name)
		s.putValue(t, holds+name, "\x00 bits flipped")
	}, func(name string) { s.put(t, name, before) })
}
