// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package clients makes clients of MaintenanceEndpoints and their Secrets. It implements endpoint.Endpoints:
//
//	what an endpoint says     find.go       from the cache of endpoints
//	what its Secret says      secrets.go    read when it is needed, and again after secretLasts
//	which addresses are left  address.go    looked at after DNS, for each connection
//	HTTP                      http.go, transport.go, keystone.go
//	SMTP                      smtp.go
//	how often                 rate.go
//	errors without secrets    clean.go, redact.go
//
// Without endpoints, it reads nothing and calls nobody.
package clients

import (
	"context"
	"net"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	listers "github.com/medik8s/maintenance-apiserver/pkg/generated/listers/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

// Config is what Clients need.
type Config struct {
	// Endpoints are the MaintenanceEndpoints, from a cache. Required.
	Endpoints listers.MaintenanceEndpointLister
	// Kube reads Secrets. It needs the right to get those in SecretNamespace, and no other right. Required.
	Kube kubernetes.Interface
	// SecretNamespace is where the Secrets are. If it is empty, endpoints with a secretRef cannot be used.
	SecretNamespace string
	// Vouch says whether the author of an endpoint may still read its Secret: with a 403 that they may not. Required if there
	// is a SecretNamespace.
	Vouch func(ctx context.Context, endpoint *v1beta1.MaintenanceEndpoint) error
	// AllowLoopback lets endpoints be on this machine: for tests, and for a proxy that runs beside the server.
	// Link-local addresses and those of metadata services stay refused.
	AllowLoopback bool
	// Resolver resolves names. Default: that of the machine.
	Resolver *net.Resolver
	// Clock says how old Secrets and tokens are. Default: the real one.
	Clock clock.Clock
}

// Clients makes clients of endpoints. Use New.
type Clients struct {
	config  Config
	secrets secrets
	redact  redactor

	mu sync.Mutex
	// kept is what is kept between calls, by the name of the endpoint.
	kept map[string]*kept
}

var _ endpoint.Endpoints = &Clients{}

// New returns Clients, which have not read or called anything yet.
func New(config Config) *Clients {
	if config.Clock == nil {
		config.Clock = clock.RealClock{}
	}
	c := &Clients{config: config, kept: map[string]*kept{}}
	c.secrets = secrets{config: config, redact: &c.redact, read: map[types.UID]readSecret{}}
	return c
}

// Close closes the connections that nothing uses. Those in use are closed when they are done with.
func (c *Clients) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name := range c.kept {
		c.drop(name)
	}
}
