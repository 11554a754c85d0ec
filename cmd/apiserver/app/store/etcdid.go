// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"path"

	"github.com/google/uuid"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
)

// The keys of what is no object, below the prefix of all keys.
const (
	idKey     = "store-id"
	copyOfKey = "copy-of"
)

// Root begins every key of a store in an etcd.
func Root(prefix string) string { return path.Join("/", prefix) + "/" }

// IDKey is the key of the ID of a store in an etcd.
func IDKey(prefix string) string { return Root(prefix) + idKey }

// CopyOfKey is the key of the ID of another store, while that is being copied into this one.
func CopyOfKey(prefix string) string { return Root(prefix) + copyOfKey }

// identify reads the store's ID. If the store is empty, it writes one.
func identify(ctx context.Context, c Config) (id string, err error) {
	err = reach(ctx, &c.Backend.Transport, c.ReachTimeout, func(ctx context.Context, config clientv3.Config) error {
		id, err = readID(ctx, config, c.Backend.Prefix)
		return err
	})
	return id, err
}

// readID reads the ID. It writes a new one only if there is none, so that it also works with a
// store that is full and refuses writes.
func readID(ctx context.Context, config clientv3.Config, prefix string) (string, error) {
	client, err := clientv3.New(config)
	if err != nil {
		return "", err
	}
	defer client.Close() //nolint:errcheck // nothing is pending on it
	key := IDKey(prefix)
	known, err := client.Get(ctx, key)
	if err != nil {
		return "", err
	}
	if len(known.Kvs) > 0 {
		return string(known.Kvs[0].Value), nil
	}
	response, err := client.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(Root(prefix)), "=", 0).WithPrefix()). // nothing is there
		Then(clientv3.OpPut(key, uuid.NewString()), clientv3.OpGet(key)).
		Else(clientv3.OpGet(key)).
		Commit()
	if err != nil {
		return "", err
	}
	last := response.Responses[len(response.Responses)-1].GetResponseRange().Kvs
	if len(last) == 0 {
		return "", clusterstore.ErrIncomplete
	}
	return string(last[0].Value), nil
}
