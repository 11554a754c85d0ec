// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package certs

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"slices"
	"testing"
	"time"
)

func TestAuthority(t *testing.T) {
	made, err := NewAuthority("test")
	if err != nil {
		t.Fatal(err)
	}
	authority, err := ParseAuthority(made.Pair) // as after a restart
	if err != nil {
		t.Fatal(err)
	}
	client, err := authority.Client("alice", "devs", "admins")
	if err != nil {
		t.Fatal(err)
	}
	server, err := authority.Server([]string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}

	leaf := verify(t, made, client, x509.VerifyOptions{KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	if leaf.Subject.CommonName != "alice" || !slices.Equal(leaf.Subject.Organization, []string{"devs", "admins"}) {
		t.Errorf("got subject %s, want alice in devs and admins", leaf.Subject)
	}
	for _, host := range []string{"localhost", "127.0.0.1"} {
		verify(t, made, server, x509.VerifyOptions{DNSName: host})
	}
}

func verify(t *testing.T, authority *Authority, pair Pair, options x509.VerifyOptions) *x509.Certificate {
	t.Helper()
	keyPair, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	options.Roots = x509.NewCertPool()
	options.Roots.AddCert(authority.cert)
	options.CurrentTime = time.Now().Add(lifetime - time.Hour)
	if _, err := keyPair.Leaf.Verify(options); err != nil {
		t.Errorf("certificate of %s: %v", keyPair.Leaf.Subject, err)
	}
	return keyPair.Leaf
}

func TestParseAuthorityRefusesGarbage(t *testing.T) {
	if _, err := ParseAuthority(Pair{Cert: []byte("no certificate"), Key: []byte("no key")}); err == nil {
		t.Error("garbage was taken for an authority")
	}
}
