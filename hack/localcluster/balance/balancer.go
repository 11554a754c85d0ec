// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package balance

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
)

// Balancer forwards each connection to the next replica that is ready, as a Service does. It reads
// nothing of what passes. A replica that is no longer ready gets no new connections and keeps those that
// it has.
type Balancer struct {
	forwarder *forwarder
	replicas  []*replica
	stop      context.CancelFunc
	probing   sync.WaitGroup

	mu   sync.Mutex
	next int // the replica that is asked first for the next connection
}

// Start listens on address, as host:port, for the replicas with the other addresses. Close ends it.
func Start(address string, replicas ...string) (*Balancer, error) {
	ctx, stop := context.WithCancel(context.Background())
	b := &Balancer{stop: stop}
	for _, address := range replicas {
		b.replicas = append(b.replicas, newReplica(address))
	}
	var err error
	if b.forwarder, err = forward(address, b.dial); err != nil {
		stop()
		return nil, err
	}
	for _, r := range b.replicas {
		b.probing.Go(func() { r.probe(ctx) })
	}
	return b, nil
}

// Address is where the balancer takes connections, as host:port.
func (b *Balancer) Address() string { return b.forwarder.address() }

// CutOff closes all connections to the replica with an address, and makes no new ones until Reach. The
// replica itself does not learn of it.
func (b *Balancer) CutOff(address string) {
	r := b.replica(address)
	r.conns.refuse(true)
	r.conns.end()
}

// Reach ends a CutOff.
func (b *Balancer) Reach(address string) { b.replica(address).conns.refuse(false) }

// Ready says whether new connections may go to the replica with an address.
func (b *Balancer) Ready(address string) bool { return b.replica(address).ready.Load() }

// Connections is how many connections are open to the replica with an address.
func (b *Balancer) Connections(address string) int { return b.replica(address).conns.count() }

// Close ends the balancer and all its connections.
func (b *Balancer) Close() {
	b.stop()
	b.forwarder.close()
	for _, r := range b.replicas {
		r.conns.refuse(true)
		r.conns.end()
	}
	b.probing.Wait()
}

func (b *Balancer) replica(address string) *replica {
	i := slices.IndexFunc(b.replicas, func(r *replica) bool { return r.address == address })
	if i < 0 {
		panic("no replica has the address " + address)
	}
	return b.replicas[i]
}

// dial opens a connection to a replica that is ready.
func (b *Balancer) dial(ctx context.Context) (net.Conn, error) {
	var err error
	for _, r := range b.inTurn() {
		var conn net.Conn
		if conn, err = r.dial(ctx); err == nil {
			return conn, nil
		}
	}
	return nil, fmt.Errorf("no replica is ready: %w", err)
}

// inTurn lists the replicas, another one first each time.
func (b *Balancer) inTurn() []*replica {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next = (b.next + 1) % len(b.replicas)
	return slices.Concat(b.replicas[b.next:], b.replicas[:b.next])
}
