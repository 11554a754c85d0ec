// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The files of a data directory.
const (
	markerFile = "store-state"
	memberDir  = "member"
	logDir     = "member/wal"
	database   = "member/snap/db"
)

// TestDamagedStore starts servers on copies of the usual server's data directory,
// each damaged in another way: none may begin with an empty store in silence.
func TestDamagedStore(t *testing.T) {
	pool := env.Current(t).NewPool(t, 1)
	pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	keepServer(t)
	terminate(t)
	original := env.Current(t).Server.DataDir()

	for name, tc := range map[string]struct {
		damage func(t *testing.T, dir string)
		want   string
	}{
		"store removed":    {damage: remove(memberDir), want: "has lost its store"},
		"log removed":      {damage: remove(logDir), want: "has lost its store"},
		"database removed": {damage: remove(database), want: "has lost its store"},
		"member is a file": {damage: replaceByFile(memberDir), want: "has lost its store"},
		"marker removed":   {damage: remove(markerFile), want: "holds a store of unknown origin"},
		"marker garbled":   {damage: overwrite(markerFile, "rea"), want: `says "rea"`},
		"marker empty":     {damage: overwrite(markerFile, ""), want: `says ""`},
		"database garbled": {damage: overwrite(database, strings.Repeat("garbage", 1<<12)), want: "is damaged"},
		"database empty":   {damage: overwrite(database, ""), want: "the file is empty"},
		"database cut":     {damage: cut(database, 1<<14), want: "is damaged"},
		"log empty":        {damage: cutLog(0), want: "is damaged"},
		"log garbled":      {damage: garbleLog, want: "is damaged"},
		"log cut":          {damage: cutLog(100), want: "but the database has applied entry"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			if err := os.CopyFS(dir, os.DirFS(original)); err != nil {
				t.Fatal(err)
			}
			tc.damage(t, dir)
			before := contents(t, dir)
			wantRefusal(t, []string{"--data-dir=" + dir}, nil, tc.want)
			if after := contents(t, dir); !maps.Equal(before, after) {
				t.Errorf("the refused start changed the files from %v to %v", sizes(before), sizes(after))
			}
		})
	}
}

func remove(path string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.RemoveAll(filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
}

func overwrite(path, content string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { write(t, filepath.Join(dir, path), content) }
}

func replaceByFile(path string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		remove(path)(t, dir)
		overwrite(path, "")(t, dir)
	}
}

func cut(path string, size int64) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.Truncate(filepath.Join(dir, path), size); err != nil {
			t.Fatal(err)
		}
	}
}

func cutLog(size int64) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		for _, path := range logs(t, dir) {
			if err := os.Truncate(path, size); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func garbleLog(t *testing.T, dir string) {
	for _, path := range logs(t, dir) {
		write(t, path, strings.Repeat("garbage", 1<<12))
	}
}

func logs(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, logDir, "*.wal"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no log in %s: %v", dir, err)
	}
	return paths
}

// contents are the store's files and the marker, by path.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || !entry.Type().IsRegular() || (!strings.HasPrefix(name, memberDir) && name != markerFile) {
			return err
		}
		content, err := os.ReadFile(path)
		found[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func sizes(files map[string]string) map[string]int {
	sizes := map[string]int{}
	for name, content := range files {
		sizes[name] = len(content)
	}
	return sizes
}
