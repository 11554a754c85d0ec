// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"bytes"
	"net/http"

	"golang.org/x/time/rate"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// kept is what is kept of an endpoint between calls.
type kept struct {
	// transport has the open connections; nil: none was needed yet. caBundle is what it was made with.
	transport *http.Transport
	caBundle  []byte
	// limiter says how often it may be called; nil: it was not asked yet.
	limiter *rate.Limiter
	// session is the last token of Keystone.
	session session
}

// keep returns what is kept of an endpoint. The caller holds the lock.
func (c *Clients) keep(name string) *kept {
	k := c.kept[name]
	if k == nil {
		c.dropGone()
		k = &kept{}
		c.kept[name] = k
	}
	return k
}

// dropGone forgets what is kept of endpoints that do not exist any more: nobody may ask for one of that name again. The
// caller holds the lock.
func (c *Clients) dropGone() {
	for name := range c.kept {
		if _, err := c.config.Endpoints.Get(name); apierrors.IsNotFound(err) {
			c.drop(name)
		}
	}
}

// drop forgets what is kept of an endpoint. The caller holds the lock.
func (c *Clients) drop(name string) {
	if k := c.kept[name]; k != nil && k.transport != nil {
		k.transport.CloseIdleConnections()
	}
	delete(c.kept, name)
}

// transport returns the transport of an endpoint, a new one if its CAs have changed.
func (c *Clients) transport(e *v1beta1.MaintenanceEndpoint) (*http.Transport, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.keep(e.Name)
	if k.transport != nil && bytes.Equal(k.caBundle, e.Spec.CABundle) {
		return k.transport, nil
	}
	made, err := c.newTransport(e.Name, e.Spec.CABundle)
	if err != nil {
		return nil, err
	}
	if k.transport != nil {
		k.transport.CloseIdleConnections()
	}
	k.transport, k.caBundle = made, e.Spec.CABundle
	return made, nil
}
