// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"

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

// startMeasuring has the store measured until it is closed.
func (s *Store) startMeasuring(ctx context.Context, backend *storagebackend.TransportConfig) error {
	config, err := clientConfig(backend)
	if err != nil {
		return err
	}
	if s.client, err = clientv3.New(config); err != nil {
		return err
	}
	s.Space = &Space{members: s.client, names: backend.ServerList, advice: adviceExternal, clock: clock.RealClock{}, reclaim: nothing}
	if s.embedded != nil {
		s.Space.advice, s.Space.reclaim = adviceEmbedded, s.embedded.Reclaim
	}
	ctx, s.stop = context.WithCancel(ctx)
	s.measuring.Go(func() { s.Space.run(ctx) })
	return nil
}

// nothing is what can be done for the space of an etcd that others look after.
func nothing(context.Context) error { return nil }
