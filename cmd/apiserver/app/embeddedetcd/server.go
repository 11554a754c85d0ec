// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package embeddedetcd runs a single etcd member inside this process, so that
// the server needs nothing else installed. It listens on unix sockets only.
//
// It also does what etcd leaves to its caller: it allows only one process for each data
// directory, limits the time of the start, and never replaces a missing store by an empty
// one.
package embeddedetcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/klog/v2"
)

const (
	lockFile = "lock"

	// startTimeout is the default timeout of etcd's start with a small database. Without a
	// timeout, etcd could wait forever.
	startTimeout = 8 * time.Second
	// slowestDisk is how many bytes per second a disk is expected to read at least. etcd
	// maps the whole database into memory when it starts, including unused pages.
	slowestDisk = 32 << 20
	// stopTimeout bounds the end, which takes milliseconds. Every write that was answered is on the disk by then.
	stopTimeout = 10 * time.Second
)

// Config says where the store is and how large it can become.
type Config struct {
	// Dir is the data directory. It is created if it does not exist.
	Dir string
	// QuotaBytes is the size of the store, in bytes, at which etcd begins to refuse writes.
	QuotaBytes int64
	// StartTimeout is how long a small store may take to start. Zero means 8 seconds.
	StartTimeout time.Duration
}

// Server is a running etcd member. Its one owner must call Stop.
type Server struct {
	quotaBytes int64
	lock       *fileutil.LockedFile
	sockets    *sockets
	etcd       *embed.Etcd
	// leastUsed is the least space in use, in bytes, since old revisions were removed for growth.
	leastUsed int64
	// recent are the latest revisions at the last calls of Reclaim, oldest first.
	recent []int64
}

// Start opens the store in cfg.Dir, or creates one if there was none, and returns when it
// answers. The timeout depends on the size of the store: cfg.StartTimeout for a small one. The
// errors are for an admin to read: the directory is unusable, another process uses it, or
// the store is missing or incomplete.
func Start(ctx context.Context, cfg Config) (server *Server, err error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("could not resolve data directory: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("could not create data directory: %w", err)
	}

	s := &Server{quotaBytes: cfg.QuotaBytes}
	defer func() {
		if err != nil {
			s.Stop()
		}
	}()
	if s.lock, err = lock(dir); err != nil {
		return nil, err
	}
	if err := prepare(dir); err != nil {
		return nil, err
	}
	if s.sockets, err = newSockets(dir); err != nil {
		return nil, err
	}
	if s.etcd, err = start(ctx, etcdConfig(dir, cfg.QuotaBytes, s.sockets), cfg.startBound(dir)); err != nil {
		return nil, fmt.Errorf("could not start the store in %s: %w", dir, err)
	}
	roomCtx, cancel := context.WithTimeout(ctx, cfg.startBound(dir))
	defer cancel()
	if err = s.makeRoom(roomCtx); err != nil {
		return nil, fmt.Errorf("could not use the store in %s: %w", dir, err)
	}
	s.leastUsed = s.etcd.Server.Backend().SizeInUse()
	return s, markReady(dir)
}

// Endpoint is the address at which an etcd client in this process reaches the store.
func (s *Server) Endpoint() string {
	return "unix://" + s.sockets.client
}

// Err delivers an error if the store stops by itself.
func (s *Server) Err() <-chan error {
	return s.etcd.Err()
}

// Stop closes the store, and waits until it is closed, for 10 seconds at most. Clients must have stopped before.
func (s *Server) Stop() {
	if s.etcd != nil && !endsWithin(stopTimeout, s.etcd.Close) {
		klog.ErrorS(nil, "The store did not close in time, so it ends with this process", "timeout", stopTimeout)
		return // what is still open stays locked
	}
	if s.sockets != nil {
		s.sockets.remove()
	}
	if s.lock != nil {
		if err := s.lock.Close(); err != nil {
			klog.ErrorS(err, "Could not unlock the data directory")
		}
	}
}

// endsWithin calls end, and says whether it has returned within the limit.
func endsWithin(limit time.Duration, end func()) bool {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		end()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
		return false
	}
}

// lock makes sure that no other process uses dir. Without it, etcd would wait for that
// process forever, and ignore signals.
func lock(dir string) (*fileutil.LockedFile, error) {
	locked, err := fileutil.TryLockFile(filepath.Join(dir, lockFile), os.O_WRONLY|os.O_CREATE, 0o600)
	if errors.Is(err, fileutil.ErrLocked) {
		return nil, fmt.Errorf("data directory %s is in use by another process", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("could not lock data directory %s: %w", dir, err)
	}
	return locked, nil
}

// start runs etcd and waits until it serves. If etcd panics because its files are damaged,
// start returns an error.
func start(ctx context.Context, cfg *embed.Config, timeout time.Duration) (*embed.Etcd, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	type result struct {
		etcd *embed.Etcd
		err  error
	}
	started := make(chan result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				started <- result{err: fmt.Errorf("the store is damaged: %v", p)}
			}
		}()
		e, err := embed.StartEtcd(cfg)
		started <- result{e, err}
	}()

	var e *embed.Etcd
	select {
	case r := <-started:
		if r.err != nil {
			return nil, r.err
		}
		e = r.etcd
	case <-ctx.Done():
		return nil, fmt.Errorf("etcd did not start within %s", timeout)
	}

	select {
	case <-e.Server.ReadyNotify():
		return e, nil
	case err := <-e.Err():
		abort(e)
		return nil, err
	case <-ctx.Done():
		abort(e)
		return nil, fmt.Errorf("etcd was not ready within %s", timeout)
	}
}

// startBound returns how long the store in dir may take to start.
func (c Config) startBound(dir string) time.Duration {
	least := cmp.Or(c.StartTimeout, startTimeout)
	info, err := os.Stat(databasePath(dir))
	if err != nil {
		return least // there is none yet
	}
	return least + time.Duration(info.Size()/slowestDisk)*time.Second
}

// abort ends an etcd that is not ready. Close alone would wait until it is ready.
func abort(e *embed.Etcd) {
	e.Server.HardStop()
	e.Close()
}
