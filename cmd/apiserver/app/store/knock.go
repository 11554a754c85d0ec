// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"time"
)

// knockAfter is how long etcd may take to answer before knock connects to it. A healthy etcd sees no
// second connection.
const knockAfter = time.Second

// knock connects to an etcd that does not answer, to find out why: the client only logs such errors,
// and retries. It runs at the same time as the client, until ctx is done, so that on a busy machine
// a handshake may take as long as the client waits. It returns nil if it does not find the reason.
func knock(ctx context.Context, endpoint string, tlsConfig *tls.Config) error {
	patience := time.NewTimer(knockAfter)
	defer patience.Stop()
	select {
	case <-patience.C:
	case <-ctx.Done():
		return nil
	}
	err := connect(ctx, endpoint, tlsConfig)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func connect(ctx context.Context, endpoint string, tlsConfig *tls.Config) error {
	u, err := url.Parse(endpoint)
	if err != nil {
		return err
	}
	var connection net.Conn
	switch u.Scheme {
	case "http":
		connection, err = (&net.Dialer{}).DialContext(ctx, "tcp", u.Host)
	case "https":
		connection, err = (&tls.Dialer{Config: tlsConfig}).DialContext(ctx, "tcp", u.Host)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	return connection.Close()
}
