// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
)

// newTestCluster returns a cluster without a control plane, in a directory of its own.
func newTestCluster(t *testing.T) *Cluster {
	t.Helper()
	c := newCluster(Options{Dir: t.TempDir(), Log: t.Output()})
	if err := c.layout.makeDirectories(); err != nil {
		t.Fatal(err)
	}
	var err error
	if c.state, _, err = loadState(c.layout.state()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.stopProcesses(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestEnsure(t *testing.T) {
	c := newTestCluster(t)
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	sleeper := component{name: "sleeper", binary: "/bin/sleep", args: []string{"60"}, configs: []string{config}}
	longer := sleeper
	longer.args = []string{"61"}
	other := longer
	other.env = []string{"NAME=value"}

	var last process.Identity
	for _, step := range []struct {
		name        string
		prepare     func() error
		component   component
		wantStarted bool
	}{
		{name: "first start", component: sleeper, wantStarted: true},
		{name: "already runs", component: sleeper},
		{name: "other arguments", component: longer, wantStarted: true},
		{name: "other configuration", component: longer, wantStarted: true, prepare: func() error {
			return os.WriteFile(config, []byte("2"), 0o600)
		}},
		{name: "was killed", component: longer, wantStarted: true, prepare: func() error {
			return process.Attach(last).Kill()
		}},
		{name: "other environment", component: other, wantStarted: true},
		{name: "runs, started by another process", component: other, prepare: func() error {
			c.children = map[string]*process.Process{}
			return nil
		}},
	} {
		if step.prepare != nil {
			if err := step.prepare(); err != nil {
				t.Fatal(err)
			}
		}
		proc, started, err := c.ensure(t.Context(), step.component)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if started != step.wantStarted || started == (proc.Identity == last) {
			t.Errorf("%s: got started %v, process %v after %v, want started %v", step.name, started, proc.Identity, last, step.wantStarted)
		}
		if started && last.Alive() {
			t.Errorf("%s: the process before still runs", step.name)
		}
		if !proc.Alive() || c.state.Processes["sleeper"].Identity != proc.Identity {
			t.Errorf("%s: process %v should run and be recorded", step.name, proc.Identity)
		}
		last = proc.Identity
	}
}

func TestEnsureBeforeStart(t *testing.T) {
	c := newTestCluster(t)
	calls := 0
	sleeper := component{name: "sleeper", binary: "/bin/sleep", args: []string{"60"}}
	sleeper.beforeStart = func(context.Context) error {
		calls++
		return nil
	}
	for range 2 {
		if _, _, err := c.ensure(t.Context(), sleeper); err != nil {
			t.Fatal(err)
		}
	}
	if calls != 1 {
		t.Errorf("got %d calls for one start", calls)
	}
}

func TestFailure(t *testing.T) {
	c := newTestCluster(t)
	for name, tc := range map[string]struct {
		log           string
		wantPortTaken bool
	}{
		"port":              {log: "I starting\nE listen tcp 127.0.0.1:1: bind: address already in use\n", wantPortTaken: true},
		"port, but earlier": {log: "E address already in use\n1\n2\n3\n4\n5\n"},
		"something else":    {log: "E no such file\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(c.LogPath("x"), []byte(tc.log), 0o600); err != nil {
				t.Fatal(err)
			}
			err := c.failure("x")
			if err == nil || errors.Is(err, process.ErrPortTaken) != tc.wantPortTaken {
				t.Errorf("got %v, want port taken: %v", err, tc.wantPortTaken)
			}
		})
	}
}

func TestStop(t *testing.T) {
	c := newTestCluster(t)
	proc, _, err := c.ensure(t.Context(), component{name: "sleeper", binary: "/bin/sleep", args: []string{"60"}})
	if err != nil {
		t.Fatal(err)
	}
	c.options.temporary = true
	for range 2 { // stopping again does nothing
		if err := c.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if proc.Alive() {
		t.Error("a process of the cluster still runs")
	}
	if _, err := os.Stat(c.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the temporary directory should be gone, got %v", err)
	}
}
