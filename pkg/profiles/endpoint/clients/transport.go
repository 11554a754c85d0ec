// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

var errLeaves = errors.New("the call goes to another server than the endpoint")

const (
	idleTimeout = 90 * time.Second
	// maxHeader is the most bytes of the header of an answer: what proxies accept by default. With short lines, it takes some
	// 25 times as much memory, and hundreds of calls may wait for the rest of their answers at the same time.
	maxHeader = 8 * 1024
	// maxNumber is the most bytes of an answer of Prometheus, which is to have one number. To read a list of a million bytes
	// takes a hundred times as much memory.
	maxNumber = 64 * 1024
	// maxToken is the most bytes of an answer of Keystone, which lists all services of a cloud.
	maxToken = 256 * 1024
)

// tooLargeError is the most bytes that an answer may have which has more.
type tooLargeError int

// Error implements error.
func (e tooLargeError) Error() string { return fmt.Sprintf("its answer is larger than %d KiB", e>>10) }

// calls makes the calls of one client. It adds the credentials, but only for the endpoint's own server.
type calls struct {
	base         *url.URL
	transport    http.RoundTripper
	authenticate func(*http.Request) error
	// most is how many bytes the body of an answer may have.
	most int
	// refused is called when the server does not accept the credentials; nil: nobody is.
	refused func()
}

// RoundTrip implements http.RoundTripper.
func (c *calls) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Host != c.base.Host || request.URL.Scheme != c.base.Scheme {
		return nil, errLeaves
	}
	request = request.Clone(request.Context())
	if err := c.authenticate(request); err != nil {
		return nil, err
	}
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusUnauthorized && c.refused != nil {
		c.refused()
	}
	response.Body = &boundedBody{ReadCloser: response.Body, left: c.most, most: c.most}
	return response, nil
}

// calls returns what makes the calls of an endpoint.
func (c *Clients) calls(
	e *v1beta1.MaintenanceEndpoint, base *url.URL, values map[string]string,
) (*calls, error) {
	transport, err := c.transport(e)
	if err != nil {
		return nil, err
	}
	made := &calls{base: base, transport: transport, authenticate: basicOrBearer(e, values), most: v1beta1.MaxAnswerBytes}
	if kind, _ := kindOf(&e.Spec); kind == endpoint.KindPrometheus {
		made.most = maxNumber
	}
	if e.Spec.Keystone == nil {
		return made, nil
	}
	if err := need(e, values, keyCloudProvider); err != nil {
		return nil, err
	}
	login, err := parseLogin(e.Name, values[keyCloudProvider])
	if err != nil {
		return nil, err
	}
	made.authenticate = c.withKeystone(e, login, transport)
	made.refused = func() { c.forgetToken(e.Name) }
	return made, nil
}

// basicOrBearer adds a token, or a username and a password. Slack's library sends the token itself.
func basicOrBearer(e *v1beta1.MaintenanceEndpoint, values map[string]string) func(*http.Request) error {
	kind, _ := kindOf(&e.Spec)
	return func(request *http.Request) error {
		switch {
		case kind == endpoint.KindSlack:
		case values[keyToken] != "":
			request.Header.Set("Authorization", "Bearer "+values[keyToken])
		case values[keyUsername] != "":
			request.SetBasicAuth(values[keyUsername], values[keyPassword])
		}
		return nil
	}
}

// newTransport returns a transport for servers with a certificate of the CAs; nil: those of the system. There is no
// proxy: it would connect to addresses that nobody has looked at.
func (c *Clients) newTransport(name string, caBundle []byte) (*http.Transport, error) {
	config, err := tlsConfig(name, caBundle)
	if err != nil {
		return nil, err
	}
	return &http.Transport{
		DialContext: c.dial, TLSClientConfig: config, ForceAttemptHTTP2: true, TLSHandshakeTimeout: dialTimeout,
		MaxIdleConnsPerHost: 2, IdleConnTimeout: idleTimeout, MaxResponseHeaderBytes: maxHeader,
	}, nil
}

func tlsConfig(name string, caBundle []byte) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(caBundle) == 0 {
		return config, nil
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(caBundle) {
		return nil, unusable(name, "its caBundle has no certificate")
	}
	return config, nil
}

// boundedBody is a body that may have so many bytes left.
type boundedBody struct {
	io.ReadCloser
	left, most int
}

// Read implements io.Reader.
func (b *boundedBody) Read(into []byte) (int, error) {
	read, err := b.ReadCloser.Read(into)
	if b.left -= read; b.left < 0 {
		return 0, tooLargeError(b.most)
	}
	return read, err
}
