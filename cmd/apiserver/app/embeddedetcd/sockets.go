// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/klog/v2"
)

const (
	socketDir = "run"

	// maxSocketDir is short enough for the path of a socket to stay below the 108 bytes
	// that the kernel allows for a unix socket (unix(7)).
	maxSocketDir = 90
)

// sockets are the paths of the unix sockets that etcd listens on, in a directory that only
// this user can access.
type sockets struct {
	dir    string
	client string
	peer   string
}

// newSockets creates an empty directory for the sockets in dir. If the path of dir is too
// long for a socket, it creates one in the system's directory for temporary files.
func newSockets(dir string) (*sockets, error) {
	directory := filepath.Join(dir, socketDir)
	if err := os.RemoveAll(directory); err != nil {
		return nil, fmt.Errorf("could not remove stale sockets: %w", err)
	}
	var err error
	if len(directory) > maxSocketDir {
		directory, err = os.MkdirTemp("", "maintenance-")
	} else {
		err = os.Mkdir(directory, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("could not create a directory for sockets: %w", err)
	}
	return &sockets{
		dir:    directory,
		client: filepath.Join(directory, "client.sock"),
		peer:   filepath.Join(directory, "peer.sock"),
	}, nil
}

func (s *sockets) remove() {
	if err := os.RemoveAll(s.dir); err != nil {
		klog.ErrorS(err, "Could not remove the store's sockets")
	}
}
