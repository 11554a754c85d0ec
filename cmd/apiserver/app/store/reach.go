// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apiserver/pkg/storage/storagebackend"
)

// reachTimeout is how long an etcd may take to answer at start, unless something else is asked for.
const reachTimeout = 7 * time.Second

// Connect returns a client for an etcd that answers. The error says, for an admin to read, why it does not
// within the timeout, of which zero means 7 seconds. Call QuietGRPC before.
func Connect(ctx context.Context, backend *storagebackend.TransportConfig, timeout time.Duration) (*clientv3.Client, error) {
	config, err := clientConfig(backend)
	if err != nil {
		return nil, err
	}
	if err := reach(ctx, backend, timeout, askAnything); err != nil {
		return nil, err
	}
	return clientv3.New(config)
}

func askAnything(ctx context.Context, config clientv3.Config) error {
	client, err := clientv3.New(config)
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // nothing is pending on it
	_, err = client.Get(ctx, Root(""))
	return err
}

// reach asks an etcd something, with a client of its own. If no answer comes in time, the error says why, where that
// can be found out.
func reach(ctx context.Context, backend *storagebackend.TransportConfig, timeout time.Duration, ask func(context.Context, clientv3.Config) error) error {
	config, err := clientConfig(backend)
	if err != nil {
		return err
	}
	timeout = cmp.Or(timeout, reachTimeout)
	reach, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	config.Context = reach
	reason := make(chan error, 1)
	go func() {
		reason <- knock(reach, func(ctx context.Context) error { return connect(ctx, backend.ServerList[0], config.TLS) })
	}()
	err = ask(reach, config)
	cancel() // ends the knocking
	found := <-reason
	switch {
	case !errors.Is(err, context.DeadlineExceeded):
		return err
	case found != nil:
		return found
	}
	return fmt.Errorf("no answer within %s", timeout)
}
