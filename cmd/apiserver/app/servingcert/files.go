// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Files says where the server's own certificate and key are stored, and for which names they are.
type Files struct {
	// Dir is the directory of the files. It is created if it does not exist.
	Dir string
	// Names are the DNS names of the server. The first is the one that the aggregator uses,
	// <service>.<namespace>.svc.
	Names []string
}

// CertFile is the path of the certificate, for --tls-cert-file.
func (f Files) CertFile() string { return filepath.Join(f.Dir, certFile) }

// KeyFile is the path of the private key, for --tls-private-key-file.
func (f Files) KeyFile() string { return filepath.Join(f.Dir, keyFile) }

// Ensure creates a pair, unless there is a usable one: complete, for the same names, and
// not due for renewal.
func (f Files) Ensure(now time.Time) error {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return fmt.Errorf("could not create a directory for the serving certificate: %w", err)
	}
	if pair, err := readPair(f.Dir); err == nil && pair.covers(f.Names) && !pair.dueForRenewal(now) {
		return nil
	}
	pair, err := newPair(f.Names)
	if err != nil {
		return err
	}
	return pair.write(f.Dir)
}
