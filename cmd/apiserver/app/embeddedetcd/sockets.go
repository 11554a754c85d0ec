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

	// maxSocketDir leaves room for a socket's name below the 108 bytes that
	// the kernel allows for the path of a unix socket (unix(7)).
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
	folder := filepath.Join(dir, socketDir)
	if err := os.RemoveAll(folder); err != nil {
		return nil, fmt.Errorf("could not remove stale sockets: %w", err)
	}
	var err error
	if len(folder) > maxSocketDir {
		folder, err = os.MkdirTemp("", "maintenance-")
	} else {
		err = os.Mkdir(folder, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("could not create a folder for sockets: %w", err)
	}
	return &sockets{
		dir:    folder,
		client: filepath.Join(folder, "client.sock"),
		peer:   filepath.Join(folder, "peer.sock"),
	}, nil
}

func (s *sockets) remove() {
	if err := os.RemoveAll(s.dir); err != nil {
		klog.ErrorS(err, "Could not remove the store's sockets")
	}
}
