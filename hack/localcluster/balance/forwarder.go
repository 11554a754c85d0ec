// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package balance

import (
	"context"
	"fmt"
	"net"

	"github.com/inetaf/tcpproxy"
)

// forwarder connects each connection that it accepts to the one that dial opens.
type forwarder struct {
	proxy    tcpproxy.Proxy
	listener net.Listener
}

// forward listens on address until close. A connection for which dial has none is closed.
func forward(address string, dial func(ctx context.Context) (net.Conn, error)) (*forwarder, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("could not listen for connections to forward: %w", err)
	}
	f := &forwarder{listener: listener}
	f.proxy.ListenFunc = func(string, string) (net.Listener, error) { return listener, nil }
	f.proxy.AddRoute(address, &tcpproxy.DialProxy{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		OnDialError: func(source net.Conn, _ error) { _ = source.Close() },
	})
	return f, f.proxy.Start()
}

func (f *forwarder) address() string { return f.listener.Addr().String() }

// close ends the listening. The connections are up to their owner.
func (f *forwarder) close() {
	_ = f.proxy.Close()
	_ = f.proxy.Wait() // that the listener is closed
}
