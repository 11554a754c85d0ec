// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"fmt"
)

// Store is where replicas of our server store, as in the server's flag --store.
type Store string

// The stores.
const (
	// StoreEmbedded is the etcd in the server's own process.
	StoreEmbedded Store = "embedded"
	// StoreEtcd is an etcd beside the server: that of the control plane, with a prefix of its own.
	StoreEtcd Store = "etcd"
)

// etcdPrefix keeps what our server stores apart from what kube-apiserver stores.
const etcdPrefix = "/maintenance-apiserver"

// validate returns an error for a person to read if so many replicas cannot store there.
func (s Store) validate(replicas int) error {
	switch {
	case s != StoreEmbedded && s != StoreEtcd:
		return fmt.Errorf("the store must be %s or %s, not %q", StoreEmbedded, StoreEtcd, s)
	case s == StoreEmbedded && replicas > 1:
		return fmt.Errorf("the embedded store belongs to one process, so there cannot be %d replicas; use the store %s", replicas, StoreEtcd)
	default:
		return nil
	}
}

// args are the server's flags for the store.
func (s Store) args(c *Cluster) []string {
	if s == StoreEmbedded {
		return nil
	}
	return []string{"--etcd-servers=" + c.socketURL("client"), "--etcd-prefix=" + etcdPrefix}
}
