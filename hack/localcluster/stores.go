// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"fmt"
	"slices"
	"strings"
)

// The stores, as in the server's flag --store.
const (
	// StoreEmbedded is the etcd in the server's own process.
	StoreEmbedded = "embedded"
	// StoreEtcd is an etcd beside the server: that of the control plane, with a prefix of its own.
	StoreEtcd = "etcd"
	// StoreCluster is the API of the cluster.
	StoreCluster = "cluster"
)

// etcdPrefix keeps what our server stores apart from what kube-apiserver stores.
const etcdPrefix = "/maintenance-apiserver"

// checkStore returns an error for a person to read if so many replicas cannot use a store.
func checkStore(store string, replicas int) error {
	switch {
	case !slices.Contains([]string{StoreEmbedded, StoreEtcd, StoreCluster}, store):
		return fmt.Errorf("the store must be %s, %s or %s, not %q", StoreEmbedded, StoreEtcd, StoreCluster, store)
	case store == StoreEmbedded && replicas > 1:
		return fmt.Errorf("the embedded store belongs to one process, so there cannot be %d replicas; use the store %s or %s",
			replicas, StoreCluster, StoreEtcd)
	default:
		return nil
	}
}

// storeArgs are the server's flags for its store. Another etcd can be named in ServerOptions.ExtraArgs.
func (s *Server) storeArgs() []string {
	if s.options.Store == "" {
		return nil
	}
	args := []string{"--store=" + s.options.Store}
	if s.options.Store == StoreEtcd && !slices.ContainsFunc(s.options.ExtraArgs, namesEtcd) {
		args = append(args, "--etcd-servers="+s.cluster.socketURL("client"), "--etcd-prefix="+etcdPrefix)
	}
	return args
}

func namesEtcd(arg string) bool { return strings.HasPrefix(arg, "--etcd-servers=") }
