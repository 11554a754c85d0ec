// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// ErrPortTaken is returned by a start function whose program could not listen
// because another one has its port.
var ErrPortTaken = errors.New("port is taken")

// portAttempts is how many ports are tried.
const portAttempts = 5

// FreePort returns a TCP port on loopback that was free a moment ago.
func FreePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("could not find a free port: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}

// WithFreePort calls start with a free port. Another program can take the port before start
// uses it. If start returns ErrPortTaken, it is called again with another port, up to five
// times in total.
func WithFreePort(ctx context.Context, start func(ctx context.Context, port int) error) error {
	var err error
	for range portAttempts {
		var port int
		if port, err = FreePort(); err != nil {
			return err
		}
		if err = start(ctx, port); !errors.Is(err, ErrPortTaken) {
			return err
		}
	}
	return fmt.Errorf("gave up after %d ports: %w", portAttempts, err)
}
