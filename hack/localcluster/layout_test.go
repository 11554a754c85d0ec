// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRemoveStateLeavesWhatIsNotItsOwn(t *testing.T) {
	l := layout{dir: t.TempDir()}
	if err := l.makeDirectories(); err != nil {
		t.Fatal(err)
	}
	sockets := filepath.Join(t.TempDir(), "sockets")
	if err := os.MkdirAll(sockets, 0o700); err != nil {
		t.Fatal(err)
	}
	kept := []string{l.log("etcd"), l.lock(), filepath.Join(l.dir, "somebody-elses")}
	gone := []string{l.kubeconfig(), l.state(), l.certs("ca.key"), l.user("alice"), l.config(stagesFile), l.data("etcd"), filepath.Join(sockets, "client")}
	for _, path := range append(kept, gone...) {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.removeState(&state{SocketDir: sockets}); err != nil {
		t.Fatal(err)
	}
	for _, path := range kept {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s should be left: %v", path, err)
		}
	}
	for _, path := range append(gone, sockets) {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s should be gone, got %v", path, err)
		}
	}
}

func TestSocketDirFitsIntoSocketPath(t *testing.T) {
	for name, dir := range map[string]string{
		"short": filepath.Join(t.TempDir(), "c"),
		"long":  filepath.Join(t.TempDir(), strings.Repeat("long", 40)),
	} {
		t.Run(name, func(t *testing.T) {
			l := layout{dir: dir}
			sockets, err := l.makeSocketDir()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(sockets) })
			if len(sockets) > maxSocketDir {
				t.Errorf("got %s, which is too long for a socket's directory", sockets)
			}
			info, err := os.Stat(sockets)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm() != 0o700 {
				t.Errorf("got mode %o, want 700", info.Mode().Perm())
			}
		})
	}
}

func TestUserFile(t *testing.T) {
	l := layout{dir: "/cluster"}
	if got, want := l.user("../team/alice"), "/cluster/users/..%2Fteam%2Falice.kubeconfig"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
