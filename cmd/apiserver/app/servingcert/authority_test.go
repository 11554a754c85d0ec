// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"crypto/rand"
	"crypto/x509"
	"net"
	"testing"
	"time"
)

// TestWhatTheAuthorityCanSign has a thief of the key sign for others.
func TestWhatTheAuthorityCanSign(t *testing.T) {
	ca, err := newAuthority(serverName, began)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca.cert)
	for name, tc := range map[string]struct {
		change func(*x509.Certificate)
		host   string
		usage  x509.ExtKeyUsage
		want   bool
	}{
		"for the server": {change: func(*x509.Certificate) {}, host: serverName, usage: x509.ExtKeyUsageServerAuth, want: true},
		"for another Service": {
			change: func(c *x509.Certificate) { c.DNSNames = []string{"kubernetes.default.svc"} }, host: "kubernetes.default.svc", usage: x509.ExtKeyUsageServerAuth,
		},
		"for the server and another": {
			change: func(c *x509.Certificate) { c.DNSNames = append(c.DNSNames, "localhost") }, host: serverName, usage: x509.ExtKeyUsageServerAuth,
		},
		"for an IPv4 address": {
			change: func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(10, 0, 0, 1)} }, host: "10.0.0.1", usage: x509.ExtKeyUsageServerAuth,
		},
		"for an IPv6 address": {
			change: func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.ParseIP("fd00::1")} }, host: "fd00::1", usage: x509.ExtKeyUsageServerAuth,
		},
		"for a client": {
			change: func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }, host: serverName, usage: x509.ExtKeyUsageClientAuth,
		},
	} {
		t.Run(name, func(t *testing.T) {
			template := servingTemplate(serverName, began, ca.cert.NotAfter)
			tc.change(template)
			der, err := x509.CreateCertificate(rand.Reader, template, ca.cert, ca.key.Public(), ca.key)
			if err != nil {
				t.Fatal(err)
			}
			leaf, err := x509.ParseCertificate(der)
			if err != nil {
				t.Fatal(err)
			}
			_, err = leaf.Verify(x509.VerifyOptions{
				Roots: roots, DNSName: tc.host, CurrentTime: began, KeyUsages: []x509.ExtKeyUsage{tc.usage},
			})
			if trusted := err == nil; trusted != tc.want {
				t.Errorf("trusted: %t (%v), want %t", trusted, err, tc.want)
			}
		})
	}
}

func TestServingCertificateEndsNoLaterThanItsCA(t *testing.T) {
	ca, err := newAuthority(serverName, began)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ signed, want time.Time }{
		"a new CA":             {signed: began, want: began.Add(servingLifetime)},
		"the CA ends in a day": {signed: ca.cert.NotAfter.Add(-24 * time.Hour), want: ca.cert.NotAfter},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := ca.sign(serverName, tc.signed)
			if err != nil {
				t.Fatal(err)
			}
			if !p.leaf.NotAfter.Equal(tc.want) {
				t.Errorf("it ends at %s, want %s", p.leaf.NotAfter, tc.want)
			}
		})
	}
}
