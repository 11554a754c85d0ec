// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"crypto"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"net"
	"time"

	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

const (
	// authorityLifetime is how long a CA is valid. It is replaced when a third of that is left.
	authorityLifetime = 365 * 24 * time.Hour
	// clockSkew is how much the clocks of replicas and API servers may differ.
	clockSkew = time.Hour
)

// authority is a CA.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
	// certPEM and keyPEM are what the Secret has.
	certPEM, keyPEM []byte
}

// newAuthority makes a CA that can sign for a server with the given DNS name, and for nothing else.
func newAuthority(name string, now time.Time) (*authority, error) {
	keyPEM, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return nil, fmt.Errorf("could not make the key of a CA: %w", err)
	}
	key, err := parseKey(keyPEM)
	if err != nil {
		return nil, err
	}
	template := authorityTemplate(name, now)
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("could not make a CA: %w", err)
	}
	return parseAuthority(encodePEM(der), keyPEM)
}

func authorityTemplate(name string, now time.Time) *x509.Certificate {
	return &x509.Certificate{
		Subject:               pkix.Name{CommonName: fmt.Sprintf("%s-ca@%d", name, now.Unix())},
		NotBefore:             now.Add(-clockSkew),
		NotAfter:              now.Add(authorityLifetime),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLenZero:        true,
		// Whoever steals the key can stand in for this server alone.
		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         []string{name},
		ExcludedIPRanges:            []*net.IPNet{{IP: net.IPv4zero, Mask: net.CIDRMask(0, 32)}, {IP: net.IPv6zero, Mask: net.CIDRMask(0, 128)}},
	}
}

// parseAuthority reads a CA from PEM.
func parseAuthority(certPEM, keyPEM []byte) (*authority, error) {
	if _, err := tls.X509KeyPair(certPEM, keyPEM); err != nil {
		return nil, err
	}
	certs, err := certutil.ParseCertsPEM(certPEM)
	if err != nil {
		return nil, err
	}
	key, err := parseKey(keyPEM)
	if err != nil {
		return nil, err
	}
	return &authority{cert: certs[0], key: key, certPEM: certPEM, keyPEM: keyPEM}, nil
}

func parseKey(keyPEM []byte) (crypto.Signer, error) {
	key, err := keyutil.ParsePrivateKeyPEM(keyPEM)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("the key cannot sign")
	}
	return signer, nil
}

// check says why a certificate that the CA signs now would not be trusted.
func (a *authority) check(name string, now time.Time) error {
	p, err := a.sign(name, now)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	_, err = p.leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name, CurrentTime: now})
	return err
}
