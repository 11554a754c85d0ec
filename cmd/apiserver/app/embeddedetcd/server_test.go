// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

const testQuota = 64 << 20

// testConfig gives a busy machine time.
func testConfig(dir string, quotaBytes int64) Config {
	return Config{Dir: dir, QuotaBytes: quotaBytes, StartTimeout: 10 * time.Minute}
}

func mustStart(t *testing.T, dir string) *Server {
	t.Helper()
	server, err := Start(t.Context(), testConfig(dir, testQuota))
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	return server
}

func withClient(t *testing.T, server *Server, do func(ctx context.Context, client *clientv3.Client)) {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Endpoint()}})
	if err != nil {
		t.Fatalf("could not make a client: %v", err)
	}
	defer client.Close()
	do(t.Context(), client)
}

func TestDataOutlivesRestart(t *testing.T) {
	for name, dir := range map[string]string{
		"short path": filepath.Join(t.TempDir(), "d"),
		"long path":  filepath.Join(t.TempDir(), strings.Repeat("x", 120)),
	} {
		t.Run(name, func(t *testing.T) {
			first := mustStart(t, dir)
			withClient(t, first, func(ctx context.Context, client *clientv3.Client) {
				if _, err := client.Put(ctx, "key", "value"); err != nil {
					t.Fatalf("Put: %v", err)
				}
			})
			first.Stop()

			second := mustStart(t, dir)
			defer second.Stop()
			withClient(t, second, func(ctx context.Context, client *clientv3.Client) {
				got, err := client.Get(ctx, "key")
				if err != nil || len(got.Kvs) != 1 || string(got.Kvs[0].Value) != "value" {
					t.Fatalf("Get = %v, %v; want the value stored before the restart", got, err)
				}
			})
		})
	}
}

func TestInterruptedFirstStartIsRepeated(t *testing.T) {
	dir := t.TempDir()
	if err := writeMarker(dir, stateInitializing); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, memberDir, "wal"), 0o700); err != nil {
		t.Fatal(err)
	}
	mustStart(t, dir).Stop()
	if state, err := readMarker(dir); err != nil || state != stateReady {
		t.Errorf("marker says %q, %v; want %q", state, err, stateReady)
	}
}

func TestRefusesToStart(t *testing.T) {
	for name, tc := range map[string]struct {
		arrange func(t *testing.T, dir string)
		want    string
	}{
		"store removed": {
			arrange: func(t *testing.T, dir string) { mustRemove(t, filepath.Join(dir, memberDir)) },
			want:    "has lost its store",
		},
		"log removed": {
			arrange: func(t *testing.T, dir string) { mustRemove(t, filepath.Join(dir, memberDir, "wal")) },
			want:    "has lost its store",
		},
		"marker removed": {
			arrange: func(t *testing.T, dir string) { mustRemove(t, filepath.Join(dir, markerFile)) },
			want:    "of unknown origin",
		},
		"marker garbled": {
			arrange: func(t *testing.T, dir string) { mustWrite(t, filepath.Join(dir, markerFile), "rea") },
			want:    "neither",
		},
		"database damaged": {
			arrange: func(t *testing.T, dir string) { mustWrite(t, filepath.Join(dir, memberDir, "snap", "db"), "garbage") },
			want:    "is damaged",
		},
		"database cut": {
			arrange: func(t *testing.T, dir string) { mustCut(t, filepath.Join(dir, memberDir, "snap", "db"), 3*pageSize) },
			want:    "is damaged",
		},
		"a page of the database garbled": {
			arrange: func(t *testing.T, dir string) { garblePages(t, filepath.Join(dir, memberDir, "snap", "db")) },
			want:    "is damaged",
		},
		"log empty": {
			arrange: func(t *testing.T, dir string) { mustCut(t, logFile(t, dir), 0) },
			want:    "is damaged",
		},
		"log garbled": {
			arrange: func(t *testing.T, dir string) { mustWrite(t, logFile(t, dir), strings.Repeat("garbage", 100)) },
			want:    "is damaged",
		},
		"log without its entries": {
			arrange: func(t *testing.T, dir string) { mustCut(t, logFile(t, dir), 100) },
			want:    "ends with entry 0, but the database has applied entry",
		},
		"in use": {
			arrange: func(t *testing.T, dir string) { t.Cleanup(mustStart(t, dir).Stop) },
			want:    "in use by another process",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			mustStart(t, dir).Stop()
			tc.arrange(t, dir)

			_, err := Start(t.Context(), testConfig(dir, testQuota))
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Start = %v; want one line with %q", err, tc.want)
			}
		})
	}
}

func TestUnusableDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	mustWrite(t, file, "")
	_, err := Start(t.Context(), testConfig(filepath.Join(file, "data"), testQuota))
	if err == nil || !strings.Contains(err.Error(), "could not create data directory") {
		t.Errorf("Start below a file = %v; want an error about the data directory", err)
	}
}

// pageSize is that of bbolt: the first two pages of a database are its meta pages.
var pageSize = os.Getpagesize()

// garblePages damages the pages after the meta pages.
func garblePages(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt(bytes.Repeat([]byte("garbage"), pageSize), int64(2*pageSize)); err != nil {
		t.Fatal(err)
	}
}

func logFile(t *testing.T, dir string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, memberDir, "wal", "*.wal"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("found the logs %v, %v; want one", paths, err)
	}
	return paths[0]
}

func mustCut(t *testing.T, path string, size int) {
	t.Helper()
	if err := os.Truncate(path, int64(size)); err != nil {
		t.Fatal(err)
	}
}

func mustRemove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func mustWrite(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// etcd maps the whole database into memory: a large one on a slow disk takes longer than a small one.
func TestStartBound(t *testing.T) {
	tests := map[string]struct {
		config Config
		size   int64
		want   time.Duration
	}{
		"small":             {size: 1 << 20, want: 8 * time.Second},
		"two gibibyte":      {size: 2 << 30, want: 72 * time.Second},
		"with another time": {config: Config{StartTimeout: time.Minute}, size: 2 << 30, want: 124 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if got, want := test.config.startBound(dir), cmp.Or(test.config.StartTimeout, 8*time.Second); got != want {
				t.Errorf("got %s without a database, want %s", got, want)
			}
			if err := os.MkdirAll(filepath.Dir(databasePath(dir)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(databasePath(dir), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(databasePath(dir), test.size); err != nil {
				t.Fatal(err)
			}
			if got := test.config.startBound(dir); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
