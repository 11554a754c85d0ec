// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
)

// maxSocketDir is short enough for the path of a unix socket to stay within 107 bytes.
const maxSocketDir = 80

// layout names the files of a cluster.
type layout struct {
	dir string
}

func (l layout) kubeconfig() string        { return filepath.Join(l.dir, "kubeconfig") }
func (l layout) state() string             { return filepath.Join(l.dir, "state.json") }
func (l layout) lock() string              { return filepath.Join(l.dir, "lock") }
func (l layout) certs(name string) string  { return filepath.Join(l.dir, "certs", name) }
func (l layout) config(name string) string { return filepath.Join(l.dir, "config", name) }
func (l layout) data(name string) string   { return filepath.Join(l.dir, "data", name) }
func (l layout) log(name string) string    { return filepath.Join(l.dir, "logs", name+".log") }
func (l layout) auditLog() string          { return l.log("audit") }

// user escapes user names that are not valid file names, such as team/alice.
func (l layout) user(name string) string {
	return filepath.Join(l.dir, "users", url.PathEscape(name)+".kubeconfig")
}

// directories are the directories of a cluster. All except the logs are removed with it.
func (l layout) directories() []string {
	return []string{l.certs(""), l.config(""), l.data(""), filepath.Dir(l.user(""))}
}

func (l layout) logs() string { return filepath.Dir(l.log("")) }

func (l layout) makeDirectories() error {
	for _, directory := range append(l.directories(), l.logs()) {
		if err := os.MkdirAll(directory, 0o700); err != nil {
			return fmt.Errorf("could not make directory of cluster: %w", err)
		}
	}
	return nil
}

// removeLogs removes the logs of an earlier cluster.
func (l layout) removeLogs() error {
	if err := os.RemoveAll(l.logs()); err != nil {
		return fmt.Errorf("could not remove logs of the last cluster: %w", err)
	}
	return nil
}

// removeState removes everything but the logs and the lock. It names what it
// removes: somebody may have put the cluster into a directory with other things.
func (l layout) removeState(s *state) error {
	var errs []error
	for _, path := range append(l.directories(), l.kubeconfig(), l.state()) {
		errs = append(errs, os.RemoveAll(path))
	}
	if s.SocketDir != "" { // may be in another directory
		errs = append(errs, os.RemoveAll(s.SocketDir))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("could not remove state of cluster: %w", err)
	}
	return nil
}

// makeSocketDir returns the directory for unix sockets: the cluster's data directory,
// or a temporary one where that path is too long for a socket.
func (l layout) makeSocketDir() (string, error) {
	if dir := l.data("sockets"); len(dir) <= maxSocketDir {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", fmt.Errorf("could not make directory for sockets: %w", err)
		}
		return dir, nil
	}
	dir, err := os.MkdirTemp("", "localcluster-sockets-")
	if err != nil {
		return "", fmt.Errorf("could not make directory for sockets: %w", err)
	}
	return dir, nil
}
