// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/google/uuid"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apiserver/pkg/storage/storagebackend"
)

// reachTimeout is how long an external etcd may take to answer at start.
const reachTimeout = 7 * time.Second

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
