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

// knockTimeout bounds one attempt to connect.
const knockTimeout = time.Second

// knock connects to an etcd that has not answered, to find out why; nil where that
// does not show. The client keeps what it met to its log and tries again.
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
