// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package store opens the etcd that stores the registry's objects: the one embedded in this
// process, or an external one.
package store

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apiserver/pkg/storage/storagebackend"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/embeddedetcd"
)

// reachTimeout is how long an external etcd may take to answer at start.
const reachTimeout = 7 * time.Second

// Store is an open etcd.
type Store struct {
	// ID is different for every store, and stays the same as long as the store's data
	// exists. The annotation of a cordoned node has it.
	ID string
	// Space knows how full the store is.
	Space *Space

	embedded  *embeddedetcd.Server
	client    *clientv3.Client // that measures an external etcd
	measuring sync.WaitGroup
	stop      context.CancelFunc
}

// Open opens the etcd that backend names. If backend names none, Open starts the embedded one in
// embedded.Dir, and sets its address in backend. It returns when the store answers, or with an
// error for an admin to read. That takes at most 10 seconds, unless a large store is on a slow
// disk.
func Open(ctx context.Context, backend *storagebackend.TransportConfig, prefix string, embedded embeddedetcd.Config) (*Store, error) {
	quietGRPC()
	registerMetrics()
	s := &Store{stop: func() {}}
	if len(backend.ServerList) == 0 {
		var err error
		if s.embedded, err = embeddedetcd.Start(ctx, embedded); err != nil {
			return nil, err
		}
		backend.ServerList = []string{s.embedded.Endpoint()}
	}
	var err error
	if s.ID, err = identify(ctx, backend, prefix); err != nil {
		s.Close()
		return nil, fmt.Errorf("could not reach etcd at %s: %w", strings.Join(backend.ServerList, ", "), err)
	}
	if err := s.startMeasuring(ctx, backend); err != nil {
		s.Close()
		return nil, fmt.Errorf("could not measure the store: %w", err)
	}
	return s, nil
}

// Failed delivers an error if an embedded store stops by itself.
func (s *Store) Failed() <-chan error {
	if s.embedded == nil {
		return nil
	}
	return s.embedded.Err()
}

// Close stops the measuring, closes an embedded store, and waits until that is done. The server that
// uses the store must have stopped before.
func (s *Store) Close() {
	s.stop()
	s.measuring.Wait()
	if s.client != nil {
		_ = s.client.Close() // nothing is pending on it
	}
	if s.embedded != nil {
		s.embedded.Stop()
	}
}

// identify reads the store's ID. If there is none yet, it writes one.
func identify(ctx context.Context, backend *storagebackend.TransportConfig, prefix string) (string, error) {
	config, err := clientConfig(backend)
	if err != nil {
		return "", err
	}
	reach, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	config.Context = reach
	reason := make(chan error, 1)
	go func() { reason <- knock(reach, backend.ServerList[0], config.TLS) }()
	id, err := readID(reach, config, path.Join("/", prefix, "store-id"))
	cancel() // ends the knocking
	found := <-reason
	if !errors.Is(err, context.DeadlineExceeded) {
		return id, err
	}
	if found != nil {
		return "", found
	}
	return "", fmt.Errorf("no answer within %s", reachTimeout)
}

// readID reads key. It writes a new ID only if there is none, so that it also works with a
// store that is full and refuses writes.
func readID(ctx context.Context, config clientv3.Config, key string) (string, error) {
	client, err := clientv3.New(config)
	if err != nil {
		return "", err
	}
	defer client.Close() //nolint:errcheck // nothing is pending on it
	known, err := client.Get(ctx, key)
	if err != nil {
		return "", err
	}
	if len(known.Kvs) > 0 {
		return string(known.Kvs[0].Value), nil
	}
	response, err := client.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
		Then(clientv3.OpPut(key, uuid.NewString()), clientv3.OpGet(key)).
		Else(clientv3.OpGet(key)).
		Commit()
	if err != nil {
		return "", err
	}
	last := response.Responses[len(response.Responses)-1]
	return string(last.GetResponseRange().Kvs[0].Value), nil
}
