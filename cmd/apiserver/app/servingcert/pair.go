// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"time"

	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// servingLifetime is how long a serving certificate is valid, unless its CA ends before. It is renewed when a third of
// that is left. So a replica that cannot read the Secret goes on serving for two days at least.
const servingLifetime = 7 * 24 * time.Hour

// pair is a serving certificate with its private key. It is never written anywhere.
type pair struct {
	cert, key []byte // as PEM
	leaf      *x509.Certificate
	// ca is who signed it.
	ca *x509.Certificate
}

// sign makes a pair for a server with the given DNS name.
func (a *authority) sign(name string, now time.Time) (*pair, error) {
	keyPEM, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return nil, fmt.Errorf("could not make a serving key: %w", err)
	}
	key, err := parseKey(keyPEM)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, servingTemplate(name, now, a.cert.NotAfter), a.cert, key.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("could not sign a serving certificate: %w", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &pair{cert: encodePEM(der), key: keyPEM, leaf: leaf, ca: a.cert}, nil
}

func servingTemplate(name string, now, latest time.Time) *x509.Certificate {
	end := now.Add(servingLifetime)
	if end.After(latest) {
		end = latest
	}
	return &x509.Certificate{
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             now.Add(-clockSkew),
		NotAfter:              end,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		DNSNames:              []string{name},
	}
}

// dueAt is the time when a certificate is to be replaced.
func dueAt(cert *x509.Certificate) time.Time {
	return cert.NotAfter.Add(-cert.NotAfter.Sub(cert.NotBefore) / 3)
}

func encodePEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: certutil.CertificateBlockType, Bytes: der})
}
