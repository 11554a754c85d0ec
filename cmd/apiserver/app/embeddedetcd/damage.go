// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"go.etcd.io/bbolt"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/zap"
)

// If etcd cannot read its files, it panics, or waits forever. Some of the panics are in its
// own goroutines, where they cannot be recovered. So its files are read before etcd starts.

// checkDamage reads the files of the store in dir as etcd will. If one is damaged, the
// error names it. An incomplete last entry of the log is no damage.
func checkDamage(dir string) error {
	log := filepath.Join(dir, memberDir, "wal")
	if err := readLog(log); err != nil {
		return damaged(log, err)
	}
	database := databasePath(dir)
	if err := readDatabase(database); err != nil {
		return damaged(database, err)
	}
	return nil
}

func databasePath(dir string) string { return filepath.Join(dir, memberDir, "snap", "db") }

func damaged(path string, err error) error {
	return fmt.Errorf("the store is damaged: could not read %s: %w; restore the store from a backup", path, err)
}

func readLog(path string) error {
	snapshots, err := wal.ValidSnapshotEntries(zap.NewNop(), path)
	if err == nil && len(snapshots) == 0 {
		return errors.New("the log has no beginning")
	}
	return err
}

// readDatabase reads every page that is in use: bbolt finds damage only in pages that it
// reads, and then panics.
func readDatabase(path string) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // the file is mapped into memory
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	if err := readEntries(path); err != nil {
		return err
	}
	// To find the free pages, bbolt checks the tree of the pages in use.
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, PreLoadFreelist: true, Timeout: startTimeout})
	if err != nil {
		return err
	}
	return db.Close()
}

func readEntries(path string) (err error) {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return errors.New("the file is empty") // bbolt would try to make a new database of it
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: startTimeout})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.View(func(tx *bbolt.Tx) error {
		if tx.Size() > info.Size() {
			return fmt.Errorf("it has %d bytes, and should have %d", info.Size(), tx.Size())
		}
		return tx.ForEach(func(_ []byte, bucket *bbolt.Bucket) error {
			return bucket.ForEach(func(_, _ []byte) error { return nil })
		})
	})
}
