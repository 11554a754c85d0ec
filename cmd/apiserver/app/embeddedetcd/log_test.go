// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
	"go.etcd.io/etcd/server/v3/storage/schema"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/raftpb"
	"go.uber.org/zap"
)

// useSmallFiles has a log of some entries begin a new file, until the test's end.
func useSmallFiles(t *testing.T) {
	t.Helper()
	usual := wal.SegmentSizeBytes
	wal.SegmentSizeBytes = 4 << 10
	t.Cleanup(func() { wal.SegmentSizeBytes = usual })
}

// writeStore writes a log of so many entries with snapshots at some of them, and a database that has
// applied some of them.
func writeStore(t *testing.T, entries int, snapshots []int, applied int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	log, err := wal.Create(zap.NewNop(), filepath.Join(dir, memberDir, "wal"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= entries; i++ {
		saveEntry(t, log, uint64(i))
		for _, snapshot := range snapshots {
			if snapshot == i {
				saveSnapshot(t, log, uint64(i))
			}
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	writeDatabase(t, databasePath(dir), uint64(applied))
	return dir
}

func saveEntry(t *testing.T, log *wal.WAL, index uint64) {
	t.Helper()
	entry := &raftpb.Entry{Index: &index, Term: new(uint64(1)), Data: []byte(strings.Repeat("x", 500))}
	state := &raftpb.HardState{Term: new(uint64(1)), Vote: new(uint64(1)), Commit: &index}
	if err := log.Save(state, []*raftpb.Entry{entry}); err != nil {
		t.Fatal(err)
	}
}

func saveSnapshot(t *testing.T, log *wal.WAL, index uint64) {
	t.Helper()
	voters := &raftpb.ConfState{Voters: []uint64{1}}
	if err := log.SaveSnapshot(&walpb.Snapshot{Index: &index, Term: new(uint64(1)), ConfState: voters}); err != nil {
		t.Fatal(err)
	}
}

func writeDatabase(t *testing.T, path string, applied uint64) {
	t.Helper()
	mustMakeDir(t, filepath.Dir(path))
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		meta, err := tx.CreateBucket(schema.Meta.Name())
		if err != nil || applied == 0 {
			return err
		}
		return meta.Put(schema.MetaConsistentIndexKeyName, binary.BigEndian.AppendUint64(nil, applied))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// A log that ends before what the database has applied is refused, whatever the files that it is in, and
// a database that is behind its log is not.
func TestLogAndDatabase(t *testing.T) {
	useSmallFiles(t)
	const most = 40 // several files of the log
	tests := map[string]struct {
		entries, applied int
		snapshots        []int
		cut              int64 // how much is cut off the last file, after its last entry
		wantErr          bool
	}{
		"nothing applied":                        {entries: 3, applied: 0},
		"all applied":                            {entries: 3, applied: 3},
		"applied more":                           {entries: 3, applied: 4, wantErr: true},
		"several files, all applied":             {entries: most, applied: most},
		"several files, database behind":         {entries: most, applied: 2},
		"several files, applied more":            {entries: most, applied: most + 1, wantErr: true},
		"after a snapshot":                       {entries: most, snapshots: []int{10, 30}, applied: most},
		"after a snapshot, applied more":         {entries: most, snapshots: []int{10, 30}, applied: most + 1, wantErr: true},
		"snapshot is the last":                   {entries: 20, snapshots: []int{20}, applied: 20},
		"snapshot is the last, applied more":     {entries: 20, snapshots: []int{20}, applied: 21, wantErr: true},
		"incomplete last entry, not applied":     {entries: 3, applied: 2, cut: 1},
		"incomplete last entry, applied already": {entries: 3, applied: 3, cut: 1, wantErr: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := writeStore(t, test.entries, test.snapshots, test.applied)
			if test.cut > 0 {
				cutLastEntry(t, dir, test.cut)
			}
			err := checkDamage(dir)
			if !test.wantErr {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			want := fmt.Sprintf("but the database has applied entry %d; restore", test.applied)
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "is damaged") {
				t.Errorf("got %v, want an error with %q", err, want)
			}
		})
	}
}

// cutLastEntry cuts bytes off the end of the log's last record, which is the entry if nothing
// follows it.
func cutLastEntry(t *testing.T, dir string, bytes int64) {
	t.Helper()
	path := logFile(t, dir)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := strings.LastIndex(string(content), "xx") + 2
	mustCut(t, path, end-int(bytes))
}

func mustMakeDir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
}
