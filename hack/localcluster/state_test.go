// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
)

func TestState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	s, found, err := loadState(path)
	if err != nil || found {
		t.Fatalf("got found %v, %v before the first start", found, err)
	}
	running, err := process.Start(process.Spec{Path: "/bin/sleep", Args: []string{"60"}, LogPath: filepath.Join(t.TempDir(), "log")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = running.Kill() })
	s.APIServerPort = 6443
	recycled := process.Identity{PID: running.PID, StartTime: running.StartTime - 1}
	for name, identity := range map[string]process.Identity{"running": running.Identity, "recycled": recycled} {
		if err := s.record(name, processRecord{Identity: identity, Fingerprint: "f"}); err != nil {
			t.Fatal(err)
		}
	}

	loaded, found, err := loadState(path)
	if err != nil || !found {
		t.Fatalf("got found %v, %v", found, err)
	}
	if loaded.APIServerPort != 6443 || loaded.Processes["running"].Fingerprint != "f" {
		t.Errorf("got state %+v, want what was saved", loaded)
	}
	if p := loaded.running("running"); p == nil || p.Identity != running.Identity {
		t.Errorf("got process %v, want the running one", p)
	}
	for _, name := range []string{"recycled", "never started"} {
		if p := loaded.running(name); p != nil {
			t.Errorf("%s: got process %v, want none", name, p)
		}
	}
}

func TestLoadStateRefusesGarbage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := loadState(path); err == nil {
		t.Error("half a state was taken for a state")
	}
}
