// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/x509"
	"encoding/pem"
	"slices"
	"testing"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

func TestCACertificates(t *testing.T) {
	rest, err := caCertificates()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for block, rest := pem.Decode(rest); block != nil; block, rest = pem.Decode(rest) {
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, certificate.Subject.CommonName)
	}
	for _, want := range []string{"ISRG Root X1", "Amazon Root CA 1", "GTS Root R1", "DigiCert Global Root G2"} {
		if !slices.Contains(names, want) {
			t.Errorf("%q is not among %d CAs", want, len(names))
		}
	}
	unconstrained := 0
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			unconstrained++
		}
	}
	if len(names) != unconstrained {
		t.Errorf("%d CAs, want the %d without a constraint", len(names), unconstrained)
	}
}
