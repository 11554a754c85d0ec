// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package certs makes the certificates of a local cluster. Each is signed directly by an
// authority, has an ECDSA key, and is valid for ten years.
package certs

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// lifetime is how long every certificate is valid, which is longer than any cluster runs.
const lifetime = 10 * 365 * 24 * time.Hour

// Pair is a certificate with its private key, both in PEM.
type Pair struct {
	Cert, Key []byte
}

// Authority signs certificates.
type Authority struct {
	// Pair is the authority's own certificate and key.
	Pair

	cert *x509.Certificate
	key  crypto.Signer
}

// NewAuthority makes an authority with a certificate signed by itself.
func NewAuthority(commonName string) (*Authority, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: commonName}, key)
	if err != nil {
		return nil, fmt.Errorf("could not make authority %s: %w", commonName, err)
	}
	pair, err := newPair(certificate.Raw, key)
	if err != nil {
		return nil, err
	}
	return &Authority{Pair: pair, cert: certificate, key: key}, nil
}

// ParseAuthority returns the authority whose certificate and key were stored.
func ParseAuthority(pair Pair) (*Authority, error) {
	parsed, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		return nil, fmt.Errorf("could not parse authority's certificate and key: %w", err)
	}
	signer, ok := parsed.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("could not use authority's key: a %T cannot sign", parsed.PrivateKey)
	}
	return &Authority{Pair: pair, cert: parsed.Leaf, key: signer}, nil
}

// Client makes the client certificate of a user. Kubernetes reads the user's name from the
// common name, and the groups from the organizations.
func (a *Authority) Client(user string, groups ...string) (Pair, error) {
	return a.sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// Server makes the serving certificate for host names and IP addresses.
func (a *Authority) Server(hosts []string, addresses []net.IP) (Pair, error) {
	return a.sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: hosts[0]},
		DNSNames:    hosts,
		IPAddresses: addresses,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

func (a *Authority) sign(template *x509.Certificate) (Pair, error) {
	key, err := newKey()
	if err != nil {
		return Pair{}, err
	}
	template.NotBefore = a.cert.NotBefore
	template.NotAfter = time.Now().Add(lifetime)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	raw, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("could not sign certificate for %s: %w", template.Subject.CommonName, err)
	}
	return newPair(raw, key)
}

func newKey() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("could not make a key: %w", err)
	}
	return key, nil
}

func newPair(rawCert []byte, key *ecdsa.PrivateKey) (Pair, error) {
	keyPEM, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return Pair{}, fmt.Errorf("could not encode a key: %w", err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: rawCert})
	return Pair{Cert: certPEM, Key: keyPEM}, nil
}
