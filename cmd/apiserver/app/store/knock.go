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

// knockTimeout is the timeout of one attempt to connect.
const knockTimeout = time.Second

// knock connects to an etcd that has not answered, to find out why. It returns nil if that
// succeeds. The etcd client does not return such errors: it only logs them, and retries.
func knock(ctx context.Context, endpoint string, tlsConfig *tls.Config) error {
	u, err := url.Parse(endpoint)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, knockTimeout)
	defer cancel()
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
