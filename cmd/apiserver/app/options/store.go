// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/embeddedetcd"
)

// minQuotaBytes is the smallest useful quota: an empty bbolt database has about 100 KiB,
// and a NodeMaintenance takes a few KiB.
const minQuotaBytes = 16 << 20

// StoreOptions is where the server keeps its data.
type StoreOptions struct {
	// DataDir is the directory of the embedded store.
	DataDir string
	// QuotaBytes is the size, in bytes, at which an embedded store begins to refuse writes. At
	// four fifths of it, the server begins to refuse new holds.
	QuotaBytes int64
}

func newStoreOptions() *StoreOptions {
	return &StoreOptions{
		DataDir:    "/var/lib/maintenance-apiserver",
		QuotaBytes: 2 << 30, // etcd's own default
	}
}

func (o *StoreOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.DataDir, "data-dir", o.DataDir,
		"Directory of the embedded etcd, which is used unless --etcd-servers is given. Each server process needs its own directory.")
	fs.Int64Var(&o.QuotaBytes, "embedded-etcd-quota-bytes", o.QuotaBytes,
		"Size in bytes at which the embedded etcd begins to refuse writes. At 80 % of it, the server begins to refuse new NodeMaintenances.")
}

func (o *StoreOptions) validate() []error {
	var errs []error
	if o.DataDir == "" {
		errs = append(errs, errors.New("--data-dir must not be empty"))
	}
	if o.QuotaBytes < minQuotaBytes {
		errs = append(errs, fmt.Errorf("--embedded-etcd-quota-bytes must be at least %d, not %d", minQuotaBytes, o.QuotaBytes))
	}
	return errs
}

// Embedded is the configuration of the embedded store.
func (o *StoreOptions) Embedded() embeddedetcd.Config {
	return embeddedetcd.Config{Dir: o.DataDir, QuotaBytes: o.QuotaBytes}
}
