// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/embeddedetcd"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store"
)

// minQuotaBytes is the smallest useful quota: an empty bbolt database has about 100 KiB,
// and a NodeMaintenance takes a few KiB.
const minQuotaBytes = 16 << 20

// StoreOptions is where the server keeps its data.
type StoreOptions struct {
	// Type says what stores the objects. Complete makes an empty one Etcd if there are addresses of an etcd, else
	// Embedded.
	Type store.Type
	// DataDir is the directory of the embedded store.
	DataDir string
	// QuotaBytes is the size, in bytes, at which an embedded store begins to refuse writes. At
	// four fifths of it, the server begins to refuse new holds.
	QuotaBytes int64
	// ClusterQuotaBytes is how much may be stored in the cluster, in bytes. At four fifths of it, the server begins to refuse
	// new objects.
	ClusterQuotaBytes int64
}

func newStoreOptions() *StoreOptions {
	return &StoreOptions{
		DataDir:    "/var/lib/maintenance-apiserver",
		QuotaBytes: 2 << 30, // etcd's own default

		ClusterQuotaBytes: 512 << 20, // a quarter of that: the cluster needs the rest
	}
}

func (o *StoreOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar((*string)(&o.Type), "store", string(o.Type),
		"What stores the objects: embedded, an etcd in this process; etcd, the one of --etcd-servers; or cluster, the API of "+
			"the cluster, of Kubernetes 1.32 or later, with the CRDs and permissions that the chart makes for store.type=cluster. Default: etcd with "+
			"--etcd-servers, else embedded.")
	fs.StringVar(&o.DataDir, "data-dir", o.DataDir,
		"Directory of the embedded etcd. Each server process needs its own directory.")
	fs.Int64Var(&o.QuotaBytes, "embedded-etcd-quota-bytes", o.QuotaBytes,
		"Size in bytes at which the embedded etcd begins to refuse writes. At 80 % of it, the server begins to refuse new objects.")
	fs.Int64Var(&o.ClusterQuotaBytes, "cluster-store-quota-bytes", o.ClusterQuotaBytes,
		"How many bytes the server may store in the cluster with --store=cluster, without old versions. At 80 % of it, the server begins to refuse new objects.")
}

// complete sets the default type. etcdServers are the addresses of an external etcd.
func (o *StoreOptions) complete(etcdServers []string) {
	if o.Type != "" {
		return
	}
	o.Type = store.Embedded
	if len(etcdServers) > 0 {
		o.Type = store.Etcd
	}
}

func (o *StoreOptions) validate(etcdServers []string) []error {
	var errs []error
	switch o.Type {
	case store.Etcd:
		if len(etcdServers) == 0 {
			errs = append(errs, errors.New("--store=etcd requires --etcd-servers"))
		}
	case store.Embedded, store.Cluster:
		if len(etcdServers) > 0 {
			errs = append(errs, fmt.Errorf("--store=%s must not be given with --etcd-servers; use --store=etcd", o.Type))
		}
	default:
		errs = append(errs, fmt.Errorf("--store must be embedded, etcd or cluster, not %q", o.Type))
	}
	if o.DataDir == "" {
		errs = append(errs, errors.New("--data-dir must not be empty"))
	}
	if o.QuotaBytes < minQuotaBytes {
		errs = append(errs, fmt.Errorf("--embedded-etcd-quota-bytes must be at least %d, not %d", minQuotaBytes, o.QuotaBytes))
	}
	if o.ClusterQuotaBytes < minQuotaBytes {
		errs = append(errs, fmt.Errorf("--cluster-store-quota-bytes must be at least %d, not %d", minQuotaBytes, o.ClusterQuotaBytes))
	}
	return errs
}

// Embedded is the configuration of the embedded store.
func (o *StoreOptions) Embedded() embeddedetcd.Config {
	return embeddedetcd.Config{Dir: o.DataDir, QuotaBytes: o.QuotaBytes}
}
