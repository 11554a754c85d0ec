// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package balance

import (
	"errors"
	"net"
	"sync"
)

// errRefused is returned for a connection that came while none are taken.
var errRefused = errors.New("no connections are taken")

// connections are those that are open to one address.
type connections struct {
	mu      sync.Mutex
	open    map[*connection]struct{}
	refused bool
}

// connection is one of connections until it is closed.
type connection struct {
	*net.TCPConn
	of   *connections
	done chan struct{} // closed with the connection
	once sync.Once
}

// Close closes the connection once.
func (c *connection) Close() error {
	c.once.Do(func() { close(c.done) })
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.TCPConn.Close()
}

// add takes a new connection, or closes it while none are taken.
func (s *connections) add(conn net.Conn) (*connection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused {
		return nil, errors.Join(errRefused, conn.Close())
	}
	if s.open == nil {
		s.open = map[*connection]struct{}{}
	}
	c := &connection{TCPConn: conn.(*net.TCPConn), of: s, done: make(chan struct{})}
	s.open[c] = struct{}{}
	return c, nil
}

// end closes all connections.
func (s *connections) end() {
	s.mu.Lock()
	open := make([]*connection, 0, len(s.open))
	for c := range s.open {
		open = append(open, c)
	}
	s.mu.Unlock()
	for _, c := range open {
		_ = c.Close()
	}
}

// refuse has connections that come later refused, or taken again.
func (s *connections) refuse(refused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = refused
}

func (s *connections) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}
