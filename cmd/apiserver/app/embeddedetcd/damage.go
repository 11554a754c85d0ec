// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"go.etcd.io/bbolt"
	"go.etcd.io/etcd/server/v3/storage/schema"
)

// If etcd cannot read its files, it panics, or waits forever. Some of the panics are in its
// own goroutines, where they cannot be recovered. So its files are read before etcd starts.

// checkDamage reads the files of the store in dir as etcd will. If one is damaged, the
// error names it. An incomplete last entry of the log is no damage.
func checkDamage(dir string) error {
	log := filepath.Join(dir, memberDir, "wal")
	logged, err := lastLogged(log)
	if err != nil {
		return damaged(log, err)
	}
	database := databasePath(dir)
	applied, err := readDatabase(database)
	if err != nil {
		return damaged(database, err)
	}
	return checkOrder(log, logged, applied)
}

// checkOrder refuses a log that ends before what the database has applied. etcd would start with it,
// number new entries from the end of the log, and skip them as applied already: writes that it has
// confirmed would be lost. A database that is behind the log is usual after a crash: an entry is on
// disk in the log before it is applied.
func checkOrder(log string, logged, applied uint64) error {
	if applied <= logged {
		return nil
	}
	return fmt.Errorf("the store is damaged: %s ends with entry %d, but the database has applied entry %d; "+
		"restore the store from a backup", log, logged, applied)
}

func databasePath(dir string) string { return filepath.Join(dir, memberDir, "snap", "db") }

func damaged(path string, err error) error {
	return fmt.Errorf("the store is damaged: could not read %s: %w; restore the store from a backup", path, err)
}

// readDatabase reads every page that is in use: bbolt finds damage only in pages that it
// reads, and then panics. It returns the index of the last entry that was applied, 0 if none was.
func readDatabase(path string) (applied uint64, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // the file is mapped into memory
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	if applied, err = readEntries(path); err != nil {
		return 0, err
	}
	// To find the free pages, bbolt checks the tree of the pages in use.
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, PreLoadFreelist: true, Timeout: startTimeout})
	if err != nil {
		return 0, err
	}
	return applied, db.Close()
}

func readEntries(path string) (applied uint64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	if info.Size() == 0 {
		return 0, errors.New("the file is empty") // bbolt would try to make a new database of it
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: startTimeout})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.View(func(tx *bbolt.Tx) error {
		applied = lastApplied(tx)
		if tx.Size() > info.Size() {
			return fmt.Errorf("it has %d bytes, and should have %d", info.Size(), tx.Size())
		}
		return tx.ForEach(func(_ []byte, bucket *bbolt.Bucket) error {
			return bucket.ForEach(func(_, _ []byte) error { return nil })
		})
	})
	return applied, err
}

// lastApplied returns the index of the last entry that is in the database. A database that was never
// committed has none.
func lastApplied(tx *bbolt.Tx) uint64 {
	meta := tx.Bucket(schema.Meta.Name())
	if meta == nil {
		return 0
	}
	index := meta.Get(schema.MetaConsistentIndexKeyName)
	if len(index) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(index)
}
