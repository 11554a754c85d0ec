// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// An abstract socket has no permissions: every user of the network namespace could write into the store.
func TestListensOnFilesOnly(t *testing.T) {
	server := mustStart(t, t.TempDir())
	defer server.Stop()
	listens := map[string]bool{}
	for _, name := range ownSockets(t) {
		if strings.HasPrefix(name, "@") {
			t.Errorf("the process has the abstract socket %s", name)
		}
		listens[name] = true
	}
	for _, want := range []string{server.sockets.client, server.sockets.peer} {
		if !listens[want] {
			t.Errorf("the process does not listen on %s, but on %v", want, listens)
		}
	}
}

// ownSockets are the names of the unix sockets that this process has open.
func ownSockets(t *testing.T) []string {
	t.Helper()
	open := map[string]bool{}
	descriptors, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, descriptor := range descriptors {
		if target, err := os.Readlink(descriptor); err == nil {
			open[target] = true
		}
	}
	table, err := os.Open("/proc/net/unix")
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	var names []string
	for lines := bufio.NewScanner(table); lines.Scan(); {
		// Num RefCount Protocol Flags Type St Inode Path
		if fields := strings.Fields(lines.Text()); len(fields) == 8 && open[fmt.Sprintf("socket:[%s]", fields[6])] {
			names = append(names, fields[7])
		}
	}
	return names
}

// readOnlyDir names the environment variable that has a process of this test run in that directory, read-only.
const readOnlyDir = "TEST_READ_ONLY_DIR"

// A container's working directory is often read-only.
func TestStopsInReadOnlyDirectory(t *testing.T) {
	if dir := os.Getenv(readOnlyDir); dir != "" {
		stopInReadOnly(t, dir)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestStopsInReadOnlyDirectory$", "-test.v")
	cmd.Env = append(os.Environ(), readOnlyDir+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	output, err := cmd.CombinedOutput()
	switch {
	case err != nil && len(output) == 0:
		t.Skipf("no mount namespace can be made here: %v", err)
	case err != nil:
		t.Errorf("%v:\n%s", err, output)
	case strings.Contains(string(output), "SKIP"):
		t.Skipf("%s", output)
	}
}

func stopInReadOnly(t *testing.T, dir string) {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	t.Chdir(dir)
	data := t.TempDir()
	mustStart(t, data).Stop()
	mustStart(t, data).Stop() // a store that did not close would still be locked
}

func TestEndsWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		began := time.Now()
		if endsWithin(stopTimeout, func() { <-release }) || time.Since(began) != stopTimeout {
			t.Errorf("an end that hangs is given up after %s, want %s", time.Since(began), stopTimeout)
		}
		if !endsWithin(stopTimeout, func() {}) {
			t.Error("an end is not seen")
		}
	})
}
