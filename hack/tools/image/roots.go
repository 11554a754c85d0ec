// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/pem"
	"fmt"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// caCertificates returns the CAs that Mozilla trusts for everything, in PEM. The server trusts them where nothing says
// which CA it is to trust. They come from a module, whose version go.sum pins, and not from the machine that builds. A
// file cannot express that a CA is trusted only for certificates of a certain time, so such CAs are left out.
func caCertificates() ([]byte, error) {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, fmt.Errorf("could not encode a CA certificate: %w", err)
		}
	}
	return out.Bytes(), nil
}
