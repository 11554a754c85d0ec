// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// ErrPortTaken is returned by a start function whose program could not listen
// because another one has its port.
var ErrPortTaken = errors.New("port is taken")

// portAttempts is how many ports are tried.
const portAttempts = 5

// The ports that FreePort chooses from. The kernel gives the ports from 32768 on, or higher ones, to outgoing
// connections, which come and go all the time: such a port may be taken before its program listens.
const (
	firstPort = 15000
	lastPort  = 32767
)

// freePortTries is how many ports FreePort looks at. Few of so many are ever taken.
const freePortTries = 50

// FreePort returns a TCP port on loopback that was free a moment ago.
func FreePort() (int, error) {
	var err error
	for range freePortTries {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		var listener net.Listener
		if listener, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, listener.Close()
		}
	}
	return 0, fmt.Errorf("could not find a free port: %w", err)
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
