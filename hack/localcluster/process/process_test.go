// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func startShell(t *testing.T, script string) *Process {
	t.Helper()
	p, err := Start(Spec{Path: "/bin/sh", Args: []string{"-c", script}, LogPath: filepath.Join(t.TempDir(), "log")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestStartWritesLogAndReapsChild(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	p, err := Start(Spec{Path: "/bin/sh", Args: []string{"-c", `echo "$GREETING"; echo error >&2; exit 3`}, Env: []string{"GREETING=hello"}, LogPath: log})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !p.Ended() || p.Alive() || p.ExitCode() != 3 {
		t.Errorf("got ended %v, alive %v, exit code %d, want an ended process with code 3", p.Ended(), p.Alive(), p.ExitCode())
	}
	content, err := os.ReadFile(log)
	if err != nil || string(content) != "hello\nerror\n" {
		t.Errorf("got log %q, %v", content, err)
	}
}

// Programs that run several times tell others their names.
func TestStartNamesProcess(t *testing.T) {
	for name, tc := range map[string]struct{ given, want string }{
		"a name":  {given: "replica-1", want: "replica-1\n"},
		"no name": {want: "/bin/sh\n"},
	} {
		t.Run(name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			p, err := Start(Spec{Path: "/bin/sh", Name: tc.given, Args: []string{"-c", `echo "$0"`}, LogPath: log})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if content, err := os.ReadFile(log); err != nil || string(content) != tc.want {
				t.Errorf("the process calls itself %q, %v, want %q", content, err, tc.want)
			}
		})
	}
}

func TestStartWithoutProgram(t *testing.T) {
	_, err := Start(Spec{Path: "/no/such/program", LogPath: filepath.Join(t.TempDir(), "log")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got error %v, want one that says that the program does not exist", err)
	}
}

func TestStop(t *testing.T) {
	for name, tc := range map[string]struct {
		script   string
		attach   bool
		grace    time.Duration
		wantCode int
	}{
		"child that obeys":          {script: `trap 'exit 5' TERM; echo; while :; do sleep 0.01; done`, grace: time.Minute, wantCode: 5},
		"child that ignores":        {script: `trap '' TERM; echo; while :; do sleep 0.01; done`, grace: 100 * time.Millisecond, wantCode: -1},
		"attached":                  {script: `echo; exec sleep 60`, attach: true, grace: time.Minute, wantCode: -1},
		"attached one that ignores": {script: `trap '' TERM; echo; while :; do sleep 0.01; done`, attach: true, grace: 100 * time.Millisecond, wantCode: -1},
	} {
		t.Run(name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			child, err := Start(Spec{Path: "/bin/sh", Args: []string{"-c", tc.script}, LogPath: log})
			if err != nil {
				t.Fatal(err)
			}
			waitForOutput(t, log) // the trap is set
			p := child
			if tc.attach {
				p = Attach(child.Identity)
			}
			if err := p.Stop(t.Context(), tc.grace); err != nil {
				t.Fatal(err)
			}
			if child.Alive() || !p.Ended() || p.ExitCode() != tc.wantCode {
				t.Errorf("got alive %v, ended %v, exit code %d, want an ended process with code %d", child.Alive(), p.Ended(), p.ExitCode(), tc.wantCode)
			}
		})
	}
}

func waitForOutput(t *testing.T, path string) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		if content, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(content), "\n") {
			return
		}
		select {
		case <-ticker.C:
		case <-t.Context().Done():
			t.Fatal("process wrote nothing")
		}
	}
}

func TestStopSparesRecycledPID(t *testing.T) {
	innocent := startShell(t, "exec sleep 60")
	recorded := Attach(Identity{PID: innocent.PID, StartTime: innocent.StartTime - 1})
	if err := recorded.Stop(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	if !innocent.Alive() {
		t.Error("a process was ended that only has the pid of another one")
	}
}

func TestWaitEndsWithContext(t *testing.T) {
	p := startShell(t, "exec sleep 60")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, p := range map[string]*Process{"child": p, "attached": Attach(p.Identity)} {
		if err := p.Wait(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got error %v, want canceled", name, err)
		}
	}
}
