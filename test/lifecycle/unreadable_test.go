// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/embeddedetcd"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestOneBadObject damages an object in the embedded store, while the server is stopped.
func TestOneBadObject(t *testing.T) {
	const holds = "/registry/maintenance.medik8s.io/maintenance.medik8s.io/nodemaintenances/"
	pool := env.Current(t).NewPool(t, 2)
	keepServer(t)
	before := ""
	write := func(ctx context.Context, etcd *clientv3.Client, name, value string) error {
		_, err := etcd.Put(ctx, holds+name, value)
		return err
	}
	pool.WantSetAside(t, env.Current(t).Server, func(name string) {
		editStore(t, func(ctx context.Context, etcd *clientv3.Client) error {
			found, err := etcd.Get(ctx, holds+name)
			if err != nil {
				return err
			}
			before = string(found.Kvs[0].Value)
			return write(ctx, etcd, name, before[:len(before)/2])
		})
	}, func(name string) {
		editStore(t, func(ctx context.Context, etcd *clientv3.Client) error { return write(ctx, etcd, name, before) })
	})
}

// editStore stops the server, opens its store meanwhile as the server does, and starts the server again.
func editStore(t *testing.T, edit func(ctx context.Context, etcd *clientv3.Client) error) {
	t.Helper()
	terminate(t)
	etcd, err := embeddedetcd.Start(t.Context(), embeddedetcd.Config{Dir: env.Current(t).Server.DataDir(), QuotaBytes: 2 << 30, StartTimeout: promised})
	if err != nil {
		t.Fatal(err)
	}
	defer start(t)
	defer etcd.Stop()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{etcd.Endpoint()}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }() // nothing is pending on it
	if err := edit(t.Context(), client); err != nil {
		t.Fatal(err)
	}
}
