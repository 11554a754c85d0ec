// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package servingcert creates a serving certificate if the admin provides none. It makes
// the aggregator trust the certificate: it sets the caBundle of the server's APIService to
// the CA that signed it.
package servingcert

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

const (
	certFile = "tls.crt"
	keyFile  = "tls.key"

	// lifetime is how long a certificate is valid. It is renewed when a third of that is
	// left.
	lifetime    = 365 * 24 * time.Hour
	renewBefore = lifetime / 3
)

// Pair is a serving certificate with its private key. The CA that signed it signs nothing
// else, and the key of the CA is not kept.
type Pair struct {
	cert []byte // the certificate and behind it its CA, as PEM
	key  []byte // as PEM

	leaf *x509.Certificate
	ca   *x509.Certificate
}

// newPair creates a pair for a server with the given DNS names.
func newPair(names []string) (*Pair, error) {
	cert, key, err := certutil.GenerateSelfSignedCertKeyWithOptions(certutil.SelfSignedCertKeyOptions{
		Host:         names[0],
		AlternateDNS: names[1:],
		MaxAge:       lifetime,
	})
	if err != nil {
		return nil, fmt.Errorf("could not generate a serving certificate: %w", err)
	}
	return parsePair(cert, key)
}

func parsePair(cert, key []byte) (*Pair, error) {
	if _, err := tls.X509KeyPair(cert, key); err != nil {
		return nil, err
	}
	chain, err := certutil.ParseCertsPEM(cert)
	if err != nil {
		return nil, err
	}
	if len(chain) != 2 || chain[0].CheckSignatureFrom(chain[1]) != nil {
		return nil, errors.New("not a certificate with its CA behind it")
	}
	return &Pair{cert: cert, key: key, leaf: chain[0], ca: chain[1]}, nil
}

// readPair reads the pair that write stored in dir.
func readPair(dir string) (*Pair, error) {
	cert, err := os.ReadFile(filepath.Join(dir, certFile))
	if err != nil {
		return nil, err
	}
	key, err := os.ReadFile(filepath.Join(dir, keyFile))
	if err != nil {
		return nil, err
	}
	return parsePair(cert, key)
}

// write stores the pair in dir. A crash in between leaves two files that do not
// belong together, which readPair refuses.
func (p *Pair) write(dir string) error {
	if err := keyutil.WriteKey(filepath.Join(dir, keyFile), p.key); err != nil {
		return fmt.Errorf("could not write the serving key: %w", err)
	}
	if err := certutil.WriteCert(filepath.Join(dir, certFile), p.cert); err != nil {
		return fmt.Errorf("could not write the serving certificate: %w", err)
	}
	return nil
}

func (p *Pair) covers(names []string) bool {
	return sets.New(p.leaf.DNSNames...).HasAll(names...)
}

func (p *Pair) dueForRenewal(now time.Time) bool {
	return now.After(p.leaf.NotAfter.Add(-renewBefore))
}

// bundle returns the CAs of the given pairs as PEM.
func bundle(pairs ...*Pair) ([]byte, error) {
	var out bytes.Buffer
	for _, p := range pairs {
		ca, err := certutil.EncodeCertificates(p.ca)
		if err != nil {
			return nil, fmt.Errorf("could not encode the CA: %w", err)
		}
		out.Write(ca)
	}
	return out.Bytes(), nil
}
