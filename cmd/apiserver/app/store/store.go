// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package store opens the etcd that the registry keeps its objects in: the one
// embedded in this process, or an external one.
package store

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"k8s.io/apiserver/pkg/storage/storagebackend"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/embeddedetcd"
)

// reachTimeout bounds how long an external etcd may take to answer at start.
const reachTimeout = 7 * time.Second

// Store is an open etcd.
type Store struct {
	// ID tells this store from any other, for as long as its data exists. What
	// the server marks in the cluster carries it.
	ID string

	embedded *embeddedetcd.Server
}

// Open opens the etcd that backend names, or, where it names none, the embedded
// one in embedded.Dir, whose address it then writes into backend. It returns
// when the store answers, or an error for an admin to read, within 10 seconds unless a large store is
// on a slow disk.
func Open(ctx context.Context, backend *storagebackend.TransportConfig, prefix string, embedded embeddedetcd.Config) (*Store, error) {
	quietGRPC()
	s := &Store{}
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
	return s, nil
}

// Failed delivers an error if an embedded store stops by itself.
func (s *Store) Failed() <-chan error {
	if s.embedded == nil {
		return nil
	}
	return s.embedded.Err()
}

// Close closes an embedded store and waits until that is done. The server that
// uses it must have stopped before.
func (s *Store) Close() {
	if s.embedded != nil {
		s.embedded.Stop()
	}
}

// identify reads the store's ID, which the first server to use it writes.
func identify(ctx context.Context, backend *storagebackend.TransportConfig, prefix string) (string, error) {
	tlsConfig, err := clientTLS(backend)
	if err != nil {
		return "", err
	}
	reach, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	reason := make(chan error, 1)
	go func() { reason <- knock(reach, backend.ServerList[0], tlsConfig) }()
	id, err := readID(reach, clientv3.Config{
		Endpoints: backend.ServerList,
		TLS:       tlsConfig,
		Context:   reach,
		// Its retries are noise; the outcome is in the error.
		Logger: zap.NewNop(),
	}, path.Join("/", prefix, "store-id"))
	cancel() // ends the knocking
	met := <-reason
	if !errors.Is(err, context.DeadlineExceeded) {
		return id, err
	}
	if met != nil {
		return "", met
	}
	return "", fmt.Errorf("no answer within %s", reachTimeout)
}

// readID reads key, and writes it where nobody has yet. A store that takes no more
// writes can be read still.
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

func clientTLS(backend *storagebackend.TransportConfig) (*tls.Config, error) {
	info := transport.TLSInfo{
		CertFile:      backend.CertFile,
		KeyFile:       backend.KeyFile,
		TrustedCAFile: backend.TrustedCAFile,
	}
	if info.Empty() && info.TrustedCAFile == "" {
		return nil, nil
	}
	return info.ClientConfig()
}
