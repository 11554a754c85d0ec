// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"sync"

	"k8s.io/apiserver/pkg/server/dynamiccertificates"
)

// content hands the newest serving certificate to the API server library.
type content struct {
	mu        sync.Mutex
	pair      *pair // nil until there is one
	listeners []dynamiccertificates.Listener
}

var _ dynamiccertificates.CertKeyContentProvider = &content{}

// Name implements dynamiccertificates.CertKeyContentProvider.
func (*content) Name() string { return "own serving certificate" }

// CurrentCertKeyContent implements dynamiccertificates.CertKeyContentProvider.
func (c *content) CurrentCertKeyContent() (cert, key []byte) {
	p := c.current()
	if p == nil {
		return nil, nil
	}
	return p.cert, p.key
}

// AddListener implements dynamiccertificates.CertKeyContentProvider.
func (c *content) AddListener(listener dynamiccertificates.Listener) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listeners = append(c.listeners, listener)
}

func (c *content) current() *pair {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pair
}

func (c *content) set(p *pair) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pair = p
	for _, listener := range c.listeners {
		listener.Enqueue()
	}
}
