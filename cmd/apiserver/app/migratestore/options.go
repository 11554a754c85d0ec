// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/types"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/storage/storagebackend"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/embeddedetcd"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/options"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store"
)

// Options say what to move where.
type Options struct {
	// From and To are the stores. They are of different types.
	From, To StoreOptions
	// Lease is the lease of the server's leader, as namespace/name.
	Lease string
	// DryRun has nothing written.
	DryRun bool
}

// StoreOptions say where a store is. The names of the flags are those of the server, with a prefix.
type StoreOptions struct {
	// Type says which of the following count.
	Type store.Type
	// Embedded is the configuration of an embedded store.
	Embedded embeddedetcd.Config
	// Etcd is how an etcd is reached.
	Etcd storagebackend.TransportConfig
	// ReachTimeout is how long an etcd, an embedded one too, may take to answer. Zero means 7 seconds.
	ReachTimeout time.Duration
	// Prefix begins every key in an etcd, an embedded one too.
	Prefix string
}

// NewOptions returns the defaults, which are those of the server.
func NewOptions() Options {
	server := options.New()
	place := StoreOptions{Embedded: server.Store.Embedded(), Prefix: server.Recommended.Etcd.StorageConfig.Prefix}
	return Options{From: place, To: place, Lease: server.Registration.Service}
}

func (o *Options) addFlags(fs *pflag.FlagSet) {
	o.From.addFlags(fs, "from", "store to copy")
	o.To.addFlags(fs, "to", "store to copy into")
	fs.StringVar(&o.Lease, "lease", o.Lease, "Lease of the server's leader, as namespace/name. The command holds it while it writes.")
	fs.BoolVar(&o.DryRun, "dry-run", false, "Say what would be done, and write nothing.")
}

func (o *StoreOptions) addFlags(fs *pflag.FlagSet, prefix, which string) {
	about := func(name, usage string) (flag, text string) { return prefix + "-" + name, fmt.Sprintf(usage, which) }
	text := func(value *string, name, usage string) {
		flag, usage := about(name, usage)
		fs.StringVar(value, flag, *value, usage)
	}
	fs.StringVar((*string)(&o.Type), prefix, "", "The "+which+": embedded, etcd or cluster. Required.")
	text(&o.Embedded.Dir, "data-dir", "Data directory of the %s, if embedded.")
	flag, usage := about("embedded-etcd-quota-bytes", "Quota of the %s, in bytes, if embedded: that of the server.")
	fs.Int64Var(&o.Embedded.QuotaBytes, flag, o.Embedded.QuotaBytes, usage)
	flag, usage = about("etcd-servers", "Addresses of the %s, if etcd.")
	fs.StringSliceVar(&o.Etcd.ServerList, flag, nil, usage)
	text(&o.Etcd.TrustedCAFile, "etcd-cafile", "CA of the %s, if etcd.")
	text(&o.Etcd.CertFile, "etcd-certfile", "Client certificate for the %s, if etcd.")
	text(&o.Etcd.KeyFile, "etcd-keyfile", "Key of the client certificate for the %s, if etcd.")
	text(&o.Prefix, "etcd-prefix", "Prefix of all keys of the %s, if etcd or embedded.")
}

// validate returns what is wrong with the options.
func (o *Options) validate() error {
	errs := []error{o.From.validate("from"), o.To.validate("to")}
	if o.From.Type == o.To.Type && o.From.Type != "" {
		errs = append(errs, fmt.Errorf("--from and --to are both %s: to move a store of the same type, copy its directory, or use "+
			"the tools of etcd", o.From.Type))
	}
	if lease := o.lease(); lease.Namespace == "" || lease.Name == "" {
		errs = append(errs, fmt.Errorf("--lease must be namespace/name, not %q", o.Lease))
	}
	return utilerrors.NewAggregate(errs)
}

func (o *StoreOptions) validate(prefix string) error {
	switch o.Type {
	case store.Cluster:
	case store.Embedded:
		if o.Embedded.Dir == "" {
			return fmt.Errorf("--%s=embedded requires --%[1]s-data-dir", prefix)
		}
	case store.Etcd:
		if len(o.Etcd.ServerList) == 0 {
			return fmt.Errorf("--%s=etcd requires --%[1]s-etcd-servers", prefix)
		}
	default:
		return fmt.Errorf("--%s must be embedded, etcd or cluster, not %q", prefix, o.Type)
	}
	if len(o.Etcd.ServerList) > 0 && o.Type != store.Etcd {
		return fmt.Errorf("--%s-etcd-servers requires --%[1]s=etcd", prefix)
	}
	return nil
}

func (o *Options) lease() types.NamespacedName {
	namespace, name, _ := strings.Cut(o.Lease, "/")
	return types.NamespacedName{Namespace: namespace, Name: name}
}

// serverFlags are the flags of a server that uses the store.
func (o *StoreOptions) serverFlags() string {
	switch o.Type {
	case store.Embedded:
		return "--store=embedded --data-dir=" + o.Embedded.Dir + " --etcd-prefix=" + o.Prefix
	case store.Etcd:
		return "--store=etcd --etcd-servers=" + strings.Join(o.Etcd.ServerList, ",") + " --etcd-prefix=" + o.Prefix
	default:
		return "--store=cluster"
	}
}
