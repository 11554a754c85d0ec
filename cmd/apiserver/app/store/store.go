// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package store opens what stores the registry's objects: an etcd embedded in this process, an external etcd, or the
// API of the cluster that the server belongs to.
package store

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/embeddedetcd"
)

// Type says which store is used: the value of --store.
type Type string

const (
	// Embedded is an etcd in this process, with its data in a directory.
	Embedded Type = "embedded"
	// Etcd is an etcd that somebody else runs.
	Etcd Type = "etcd"
	// Cluster is the API of the cluster that the server belongs to.
	Cluster Type = "cluster"
)

// openers open the stores.
var openers = map[Type]func(context.Context, Config) (*Store, error){
	Embedded: openEmbedded,
	Etcd:     openExternal,
	Cluster:  openCluster,
}

// Config says which store to open.
type Config struct {
	// Type says which of the following count.
	Type Type
	// Backend is how an etcd is reached. Open sets the address of an embedded one in it.
	Backend *storagebackend.Config
	// ReachTimeout is how long an etcd, an embedded one too, may take to answer. Zero means 7 seconds.
	ReachTimeout time.Duration
	// Embedded is the configuration of the embedded etcd.
	Embedded embeddedetcd.Config
	// Cluster is how the cluster is reached.
	Cluster *rest.Config
	// ClusterQuotaBytes is how much may be stored in the cluster, in bytes.
	ClusterQuotaBytes int64
}

// Store is an open store.
type Store struct {
	// ID is different for every store, and stays the same as long as the store's data
	// exists. The annotation of a cordoned node has it.
	ID string
	// Space knows whether the store has space for new objects.
	Space interface{ CheckSpace() error }

	kind kind
}

// kind is what the stores differ in.
type kind interface {
	// restOptions returns where the registry's resources are stored.
	restOptions(getter generic.RESTOptionsGetter) generic.RESTOptionsGetter
	// checks say whether the store answers, beside what the library checks.
	checks() []healthz.HealthChecker
	// failed delivers an error if the store stops by itself.
	failed() <-chan error
	// close ends what was opened, and waits until that is done.
	close()
}

// Open opens a store. It returns when the store answers, or with an error for an admin to read. By default
// that takes at most 10 seconds, unless a large embedded store is on a slow disk.
func Open(ctx context.Context, c Config) (*Store, error) {
	open, ok := openers[c.Type]
	if !ok {
		return nil, fmt.Errorf("no store of type %q", c.Type)
	}
	QuietGRPC()
	return open(ctx, c)
}

// RESTOptions returns where the registry's resources are stored. The getter is the library's.
func (s *Store) RESTOptions(getter generic.RESTOptionsGetter) generic.RESTOptionsGetter {
	return s.kind.restOptions(getter)
}

// Checks say whether the store answers, for readyz. The library checks an etcd by itself.
func (s *Store) Checks() []healthz.HealthChecker { return s.kind.checks() }

// Failed delivers an error if the store stops by itself.
func (s *Store) Failed() <-chan error { return s.kind.failed() }

// Close closes the store, and waits until that is done. The server that uses the store must have stopped before.
func (s *Store) Close() { s.kind.close() }
