// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"bytes"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	certutil "k8s.io/client-go/util/cert"
)

// What the Secret has besides tls.crt and tls.key, the CA that signs.
const (
	// bundleKey has the certificates of all CAs that the aggregator is to trust.
	bundleKey = corev1.ServiceAccountRootCAKey
	// nextCertKey and nextKeyKey have the next CA.
	nextCertKey, nextKeyKey = "next.crt", "next.key"
	// sinceAnnotation says since when the CA signs, as RFC 3339.
	sinceAnnotation = "maintenance.medik8s.io/ca-signs-since"
)

// state is what the Secret says.
type state struct {
	// current is the CA that signs; nil if damage says why there is none.
	current *authority
	damage  error
	// next is the CA that is to sign next; nil if there is none.
	next *authority
	// trusted are all CAs that the aggregator is to trust.
	trusted []*x509.Certificate
	// unreadable says why the Secret does not say what is trusted; nil if it does.
	unreadable error
	// since is the time when current began to sign; zero if the Secret does not say.
	since time.Time
}

// decode reads the Secret. What cannot be used, it leaves out.
func decode(secret *corev1.Secret, name string, now time.Time) state {
	var s state
	s.current, s.damage = usable(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey], name, now)
	s.next, _ = usable(secret.Data[nextCertKey], secret.Data[nextKeyKey], name, now)
	s.trusted, s.unreadable = certutil.ParseCertsPEM(secret.Data[bundleKey])
	if s.unreadable != nil {
		s.trusted = nil
	}
	// A time that cannot be read is as good as none.
	s.since, _ = time.Parse(time.RFC3339, secret.Annotations[sinceAnnotation])
	return s
}

// usable returns the CA if what it signs is trusted.
func usable(certPEM, keyPEM []byte, name string, now time.Time) (*authority, error) {
	switch {
	case len(certPEM) == 0:
		return nil, errors.New("there is no certificate")
	case len(keyPEM) == 0:
		return nil, errors.New("the key was removed")
	}
	a, err := parseAuthority(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("it cannot be used: %w", err)
	}
	if err := a.check(name, now); err != nil {
		return nil, fmt.Errorf("it cannot be used: %w", err)
	}
	return a, nil
}

// encode writes the state to the Secret. Without a current CA, it leaves that part of the Secret as it is.
func (s state) encode(secret *corev1.Secret) {
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	if s.current != nil {
		secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey] = s.current.certPEM, s.current.keyPEM
	}
	delete(secret.Data, nextCertKey)
	delete(secret.Data, nextKeyKey)
	if s.next != nil {
		secret.Data[nextCertKey], secret.Data[nextKeyKey] = s.next.certPEM, s.next.keyPEM
	}
	secret.Data[bundleKey] = s.bundle()
	if secret.Annotations == nil {
		secret.Annotations = map[string]string{}
	}
	secret.Annotations[sinceAnnotation] = s.since.UTC().Format(time.RFC3339)
}

// bundle returns the trusted CAs as PEM.
func (s state) bundle() []byte {
	var out bytes.Buffer
	for _, cert := range s.trusted {
		out.Write(encodePEM(cert.Raw))
	}
	return out.Bytes()
}

// signer is the CA that signs. A next CA does so only if there is no other.
func (s state) signer() *authority {
	if s.current != nil {
		return s.current
	}
	return s.next
}

func (s state) trusts(cert *x509.Certificate) bool { return slices.ContainsFunc(s.trusted, cert.Equal) }
