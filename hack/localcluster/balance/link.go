// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package balance

import (
	"context"
	"net"
	"sync"
)

// Link forwards connections to one address. While it is cut, nothing passes in either direction, and
// nobody is told, as if the network lost every packet. Mend makes it whole again for new connections;
// those from before are closed, and what they held is lost.
type Link struct {
	forwarder *forwarder
	target    string
	conns     connections

	mu  sync.Mutex
	cut bool
	// whole is closed unless the link is cut.
	whole chan struct{}
}

// NewLink returns a link from a free port on loopback to the target, as host:port. Close ends it.
func NewLink(target string) (link *Link, err error) {
	link = &Link{target: target, whole: make(chan struct{})}
	close(link.whole)
	link.forwarder, err = forward("127.0.0.1:0", link.dial)
	return link, err
}

// Address is where the link takes connections, as host:port.
func (l *Link) Address() string { return l.forwarder.address() }

// Cut holds everything back from now on, until Mend.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.cut {
		l.cut, l.whole = true, make(chan struct{})
	}
}

// Mend ends a Cut. Without one, it does nothing.
func (l *Link) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		l.conns.end()
		l.cut = false
		close(l.whole)
	}
}

// Close ends the link and all its connections.
func (l *Link) Close() {
	l.forwarder.close()
	l.conns.refuse(true)
	l.conns.end()
}

// wait returns nil once the link is whole, and an error if done is closed before.
func (l *Link) wait(done <-chan struct{}) error {
	l.mu.Lock()
	whole := l.whole
	l.mu.Unlock()
	select {
	case <-whole:
	case <-done:
	}
	select {
	case <-done:
		return net.ErrClosed
	default:
		return nil
	}
}

func (l *Link) dial(ctx context.Context) (net.Conn, error) {
	if err := l.wait(ctx.Done()); err != nil {
		return nil, err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", l.target)
	if err != nil {
		return nil, err
	}
	c, err := l.conns.add(conn)
	if err != nil {
		return nil, err
	}
	return &linked{Conn: c, connection: c, link: l}, nil
}

// linked is a connection whose bytes wait while the link is cut.
type linked struct {
	net.Conn   // has no shorter way to copy than Read and Write
	connection *connection
	link       *Link
}

func (c *linked) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if held := c.link.wait(c.connection.done); held != nil {
		return 0, held
	}
	return n, err
}

func (c *linked) Write(b []byte) (int, error) {
	if err := c.link.wait(c.connection.done); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// CloseWrite passes on that the one end writes nothing more.
func (c *linked) CloseWrite() error {
	if err := c.link.wait(c.connection.done); err != nil {
		return err
	}
	return c.connection.CloseWrite()
}
