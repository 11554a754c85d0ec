// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"crypto/tls"
	"errors"
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
func knock(ctx context.Context, connect func(context.Context) error) error {
	patience := time.NewTimer(knockAfter)
	defer patience.Stop()
	select {
	case <-patience.C:
	case <-ctx.Done():
		return nil
	}
	err := connect(ctx)
	if ctx.Err() != nil && interrupted(err) {
		return nil
	}
	return err
}

// interrupted says whether an error can come from the end of a context.
func interrupted(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.Canceled) || errors.As(err, &timeout) && timeout.Timeout()
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
