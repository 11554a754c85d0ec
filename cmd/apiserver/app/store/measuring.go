// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/utils/clock"
)

// What to do when the store is nearly full. The first names what frees space, and when: the API
// server throws old versions away every five minutes, when they are five minutes old.
const (
	adviceEmbedded = "delete NodeMaintenances that are not needed, which gives space back within 10 minutes, " +
		"or start the server with a larger --embedded-etcd-quota-bytes"
	adviceExternal = "delete what is not needed, which gives space back when etcd has compacted it, " +
		"or start etcd with a larger --quota-backend-bytes; a full etcd must be defragmented, and its alarm disarmed"
)

// adviceCluster is for the cluster's own etcd, which others need, too.
const adviceCluster = "delete what is not needed, or, if the cluster's etcd has the space, start the server with a larger --cluster-store-quota-bytes"

const (
	// clusterInterval is short, since asking costs nothing.
	clusterInterval = time.Second
	// embeddedInterval is short, since asking costs nothing: of the least store, a fifth is
	// filled in a few seconds.
	embeddedInterval = time.Second
	// externalInterval is how often readyz asks an external etcd whether it answers, too.
	externalInterval = 10 * time.Second
)

// startMeasuring has the store measured until it is closed.
func (s *etcdStore) startMeasuring(ctx context.Context, backend *storagebackend.TransportConfig) error {
	s.space = &Space{clock: clock.RealClock{}}
	if s.embedded != nil {
		s.measureEmbedded()
	} else if err := s.measureExternal(backend); err != nil {
		return err
	}
	ctx, s.stop = context.WithCancel(ctx)
	s.measuring.Go(func() { s.space.run(ctx) })
	return nil
}

func (s *etcdStore) measureEmbedded() {
	s.space.members, s.space.names = s.embedded, []string{s.embedded.Endpoint()}
	s.space.reclaim = s.embedded.Reclaim
	s.space.interval, s.space.advice = embeddedInterval, adviceEmbedded
}

func (s *etcdStore) measureExternal(backend *storagebackend.TransportConfig) error {
	config, err := clientConfig(backend)
	if err != nil {
		return err
	}
	if s.client, err = clientv3.New(config); err != nil {
		return err
	}
	s.space.members, s.space.names = s.client, backend.ServerList
	s.space.reclaim = func(context.Context, bool) (bool, error) { return false, nil } // others look after it
	s.space.interval, s.space.advice = externalInterval, adviceExternal
	return nil
}
