// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestStart starts a server on an empty data directory and again on that, and
// reports how long it took to be ready and how much memory it uses then.
func TestStart(t *testing.T) {
	cluster := env.Current(t).Cluster
	keepServer(t)
	terminate(t)
	options := env.ServerOptions()
	options.DataDir = filepath.Join(t.TempDir(), "data")
	server, err := cluster.NewServer(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"an empty", "its own"} {
		began := time.Now()
		if err := server.Launch(t.Context()); err != nil {
			t.Fatal(err)
		}
		env.Eventually(t, "the server is ready", func(ctx context.Context) string {
			if _, err := get(ctx, t, server, "/readyz"); err != nil {
				return err.Error()
			}
			return ""
		})
		t.Logf("ready on %s data directory after %s", dir, time.Since(began).Round(10*time.Millisecond))
		if err := server.WaitReady(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Logf("idle it uses %d MiB, and used %d MiB at most", memory(t, server, "VmRSS"), memory(t, server, "VmHWM"))
		if _, err := server.Terminate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHealth reads what the server says of its own health.
func TestHealth(t *testing.T) {
	server := env.Current(t).Server
	for path, want := range map[string][]string{
		"/livez":  {"etcd", "drainer-alive", "policies-decided"},
		"/readyz": {"etcd", "drainer-ready", "informer-sync", "shutdown"},
	} {
		answer, err := get(t.Context(), t, server, path+"?verbose")
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, check := range want {
			if !strings.Contains(answer, "[+]"+check+" ok") {
				t.Errorf("%s does not say that %s is well:\n%s", path, check, answer)
			}
		}
	}
	t.Logf("the server uses %d MiB, and used %d MiB at most", memory(t, server, "VmRSS"), memory(t, server, "VmHWM"))
}

// memory reads one of the kernel's figures of the server's process, in MiB.
func memory(t *testing.T, server *localcluster.Server, figure string) int {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(server.PID()), "status"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, figure+":"); found {
			kibibytes, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
			if err != nil {
				t.Fatal(err)
			}
			return kibibytes >> 10
		}
	}
	t.Fatalf("no %s in %s", figure, status)
	return 0
}
