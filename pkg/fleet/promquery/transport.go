// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package promquery

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	errNoToken    fixedError = "this server could not read the token"
	errEmptyToken fixedError = "the file of the token is empty"
	errNoCA       fixedError = "this server could not read the CA certificates"
	errEmptyCA    fixedError = "the file of the CA certificates has none"
	errLeaves     fixedError = "it redirects to another server, which is not followed"
	errRedirects  fixedError = "it redirects again and again"
	errTooLong    fixedError = "the answer has more than 1 MiB"
)

const (
	// maxAnswer is the most bytes of an answer.
	maxAnswer = 1 << 20
	// idleTimeout is how long a connection is kept that nothing uses.
	idleTimeout = 90 * time.Second
	// maxRedirects is how many redirects are followed.
	maxRedirects = 3
)

// transport makes requests with the token and the CAs as they are now, and bounds the answers.
type transport struct {
	config Config

	mu sync.Mutex
	// base makes the requests. It is replaced when ca changes.
	base *http.Transport
	ca   []byte
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	if err := t.authenticate(request); err != nil {
		return nil, err
	}
	base, err := t.current()
	if err != nil {
		return nil, err
	}
	response, err := base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	response.Body = &boundedBody{ReadCloser: response.Body, left: maxAnswer}
	return response, nil
}

func (t *transport) authenticate(request *http.Request) error {
	if t.config.TokenFile == "" {
		return nil
	}
	token, err := os.ReadFile(t.config.TokenFile)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoToken, err)
	}
	bearer := strings.TrimSpace(string(token))
	if bearer == "" {
		return errEmptyToken
	}
	request.Header.Set("Authorization", "Bearer "+bearer)
	return nil
}

// current returns what makes requests to a server with a certificate of the CAs as they are now.
func (t *transport) current() (*http.Transport, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var ca []byte
	if t.config.CAFile != "" {
		var err error
		if ca, err = os.ReadFile(t.config.CAFile); err != nil {
			return nil, fmt.Errorf("%w: %w", errNoCA, err)
		}
	}
	if t.base != nil && bytes.Equal(ca, t.ca) {
		return t.base, nil
	}
	next, err := newBase(ca)
	if err != nil {
		return nil, err
	}
	if t.base != nil {
		t.base.CloseIdleConnections()
	}
	t.base, t.ca = next, ca
	return next, nil
}

// rest closes the connections that nothing uses.
func (t *transport) rest() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.base != nil {
		t.base.CloseIdleConnections()
	}
}

// newBase returns a transport for servers with a certificate of the CAs; nil: those of the system.
func newBase(ca []byte) (*http.Transport, error) {
	base := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
		MaxIdleConnsPerHost: 2, IdleConnTimeout: idleTimeout, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if ca == nil {
		return base, nil
	}
	base.TLSClientConfig.RootCAs = x509.NewCertPool()
	if !base.TLSClientConfig.RootCAs.AppendCertsFromPEM(ca) {
		return nil, errEmptyCA
	}
	return base, nil
}

// sameServer has redirects be followed only to the same server, so that the token goes nowhere else.
func sameServer(request *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case request.URL.Host != first.Host || request.URL.Scheme != first.Scheme:
		return fmt.Errorf("%w: %s://%s", errLeaves, request.URL.Scheme, request.URL.Host)
	case len(via) > maxRedirects:
		return errRedirects
	default:
		return nil
	}
}

// boundedBody is a body that may have so many bytes left.
type boundedBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *boundedBody) Read(into []byte) (int, error) {
	read, err := b.ReadCloser.Read(into)
	if b.left -= read; b.left < 0 {
		return 0, errTooLong
	}
	return read, err
}
