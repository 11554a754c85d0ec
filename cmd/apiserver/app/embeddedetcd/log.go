// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"errors"

	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/zap"
)

// lastLogged reads the log in the directory path, and returns the index of its last complete entry. It
// leaves files open if it fails: etcd's reader closes them at the end of the log, and by no other call.
func lastLogged(path string) (uint64, error) {
	snapshots, err := wal.ValidSnapshotEntries(zap.NewNop(), path)
	if err != nil {
		return 0, err
	}
	if len(snapshots) == 0 {
		return 0, errors.New("the log has no beginning")
	}
	// etcd continues from the last snapshot, too.
	snapshot := snapshots[len(snapshots)-1]
	log, err := wal.OpenForRead(zap.NewNop(), path, snapshot)
	if err != nil {
		return 0, err
	}
	_, _, entries, err := log.ReadAll()
	if err != nil || len(entries) == 0 {
		return snapshot.GetIndex(), err
	}
	return entries[len(entries)-1].GetIndex(), nil
}
