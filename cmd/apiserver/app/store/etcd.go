// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/server/healthz"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/embeddedetcd"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
)

// etcdStore is an open etcd: the one embedded in this process, or an external one.
type etcdStore struct {
	space *Space

	embedded  *embeddedetcd.Server
	client    *clientv3.Client // that measures an external etcd
	measuring sync.WaitGroup
	stop      context.CancelFunc
}

// openEmbedded starts the embedded etcd, and sets its address in the backend.
func openEmbedded(ctx context.Context, c Config) (*Store, error) {
	server, err := embeddedetcd.Start(ctx, c.Embedded)
	if err != nil {
		return nil, err
	}
	c.Backend.Transport.ServerList = []string{server.Endpoint()}
	return openEtcd(ctx, c, &etcdStore{embedded: server})
}

// openExternal connects to the etcd that the backend names.
func openExternal(ctx context.Context, c Config) (*Store, error) {
	return openEtcd(ctx, c, &etcdStore{})
}

func openEtcd(ctx context.Context, c Config, s *etcdStore) (*Store, error) {
	registerMetrics()
	s.stop = func() {}
	backend := &c.Backend.Transport
	id, err := identify(ctx, c)
	if err != nil {
		s.close()
		what := "could not reach etcd"
		if errors.Is(err, clusterstore.ErrIncomplete) {
			what = "could not use the store in etcd"
		}
		return nil, fmt.Errorf("%s at %s: %w", what, strings.Join(backend.ServerList, ", "), err)
	}
	if err := s.startMeasuring(ctx, backend); err != nil {
		s.close()
		return nil, fmt.Errorf("could not measure the store: %w", err)
	}
	return &Store{ID: id, Space: s.space, kind: s}, nil
}

// restOptions implements kind: the library stores in etcd by itself.
func (s *etcdStore) restOptions(getter generic.RESTOptionsGetter) generic.RESTOptionsGetter {
	return getter
}

// checks implements kind: the library adds its checks of etcd.
func (s *etcdStore) checks() []healthz.HealthChecker { return nil }

func (s *etcdStore) failed() <-chan error {
	if s.embedded == nil {
		return nil
	}
	return s.embedded.Err()
}

// close stops the measuring, closes an embedded etcd, and waits until that is done.
func (s *etcdStore) close() {
	s.stop()
	s.measuring.Wait()
	if s.client != nil {
		_ = s.client.Close() // nothing is pending on it
	}
	if s.embedded != nil {
		s.embedded.Stop()
	}
}
