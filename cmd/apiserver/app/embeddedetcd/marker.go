// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
)

// The marker is a file next to etcd's own directory. It says whether a store was created.
// Without it, a lost volume or a wrong path would look like a first start, and every node
// in maintenance would be forgotten.
const (
	markerFile = "store-state"
	memberDir  = "member"

	// stateInitializing means that a first start has begun. Nothing has been stored yet, so
	// what it leaves behind can be removed.
	stateInitializing = "initializing"
	// stateReady means that the store has answered, so its data must exist.
	stateReady = "ready"
)

// prepare checks that dir has a complete store or none, and marks the beginning of a first
// start. It never removes a store that has answered.
func prepare(dir string) error {
	state, err := readMarker(dir)
	if err != nil {
		return err
	}
	switch {
	case state == stateReady && !holdsStore(dir):
		return fmt.Errorf("data directory %s has lost its store: %s is there but %s/ is missing or incomplete; "+
			"restore %[3]s/, or remove %[2]s to begin with an empty store", dir, markerFile, memberDir)
	case state == "" && exists(filepath.Join(dir, memberDir)):
		return fmt.Errorf("data directory %s holds a store of unknown origin: %s/ is there but %s is missing; "+
			"restore %[3]s (its content is %q) to use that store, or remove %[2]s/ to begin with an empty one",
			dir, memberDir, markerFile, stateReady)
	case state == stateReady:
		return checkDamage(dir)
	}
	if err := os.RemoveAll(filepath.Join(dir, memberDir)); err != nil {
		return fmt.Errorf("could not remove what an interrupted first start left: %w", err)
	}
	return writeMarker(dir, stateInitializing)
}

// markReady notes that the store has answered.
func markReady(dir string) error {
	state, err := readMarker(dir)
	if err != nil || state == stateReady {
		return err
	}
	return writeMarker(dir, stateReady)
}

// readMarker returns the state in the marker, or "" if there is no marker.
func readMarker(dir string) (string, error) {
	content, err := os.ReadFile(filepath.Join(dir, markerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("could not read data directory: %w", err)
	}
	state := strings.TrimSpace(string(content))
	if state != stateInitializing && state != stateReady {
		return "", fmt.Errorf("%s says %q, which is neither %q nor %q",
			filepath.Join(dir, markerFile), state, stateInitializing, stateReady)
	}
	return state, nil
}

// writeMarker replaces the marker atomically, and so that it survives a power cut.
func writeMarker(dir, state string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("could not write to data directory: %w", err)
		}
	}()
	temporary := filepath.Join(dir, markerFile+".new")
	if err := os.WriteFile(temporary, []byte(state+"\n"), 0o600); err != nil {
		return err
	}
	if err := syncFile(temporary); err != nil {
		return err
	}
	if err := os.Rename(temporary, filepath.Join(dir, markerFile)); err != nil {
		return err
	}
	return syncFile(dir)
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(fileutil.Fsync(f), f.Close())
}

// holdsStore reports whether etcd will find its data. If its log is missing, etcd creates
// an empty store without an error.
func holdsStore(dir string) bool {
	logs, err := filepath.Glob(filepath.Join(dir, memberDir, "wal", "*.wal"))
	return err == nil && len(logs) > 0 && exists(databasePath(dir))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
