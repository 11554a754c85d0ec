// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"regexp"
	"strings"
	"syscall"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

// cleanError is an error that can be shown. It wraps nothing that cannot.
type cleanError struct {
	text string
	safe error
}

// Error implements error.
func (e *cleanError) Error() string { return e.text }

// Unwrap returns what is known to be without secrets: an *endpoint.Error, or the error of a context.
func (e *cleanError) Unwrap() error { return e.safe }

// Clean implements endpoint.Endpoints. Usual errors of networks get plain words, which are the same for the same problem;
// others lose their URLs and what is known to be secret.
func (c *Clients) Clean(err error) error {
	if err == nil {
		return nil
	}
	words := explain(err)
	if words == "" {
		words = c.redact.clean(withoutURLs(err))
	}
	return &cleanError{text: endpoint.Cut(words), safe: safeOf(err)}
}

// safeOf returns the error within an error that has no secrets; nil if there is none.
func safeOf(err error) error {
	var known *endpoint.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded
	case errors.Is(err, context.Canceled):
		return context.Canceled
	default:
		return nil
	}
}

// explain says in plain words what usual errors mean; empty: it is another one.
func explain(err error) string {
	var (
		known   *endpoint.Error
		large   tooLargeError
		refused addressError
		name    *net.DNSError
		network net.Error
	)
	switch {
	case errors.As(err, &known):
		return known.Error()
	case errors.As(err, &refused):
		return refused.Error()
	case errors.As(err, &large):
		return large.Error()
	case errors.Is(err, context.Canceled):
		return "the call was stopped"
	case errors.As(err, &name) && name.IsNotFound:
		return "its name is not known to DNS"
	case errors.As(err, &name):
		return "its name could not be looked up in DNS"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "it did not answer in time"
	}
	if words := explainTLS(err); words != "" {
		return words
	}
	return explainConnection(err)
}

func explainConnection(err error) string {
	var operation *net.OpError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "it refuses connections"
	case closedByServer(err):
		return "it closed the connection"
	case errors.As(err, &operation):
		return "the connection to it failed"
	case quotesAnswer.MatchString(err.Error()):
		return "it does not answer as HTTP says"
	default:
		return ""
	}
}

// closedByServer says whether the other side has closed the connection. What a call sees of that depends on how much of the
// request was sent.
func closedByServer(err error) bool {
	for _, seen := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, seen) {
			return true
		}
	}
	return strings.Contains(err.Error(), "server closed idle connection") // net/http does not export this one
}

// quotesAnswer are errors of net/http that quote what the other side has sent, which may be another server than it should.
var quotesAnswer = regexp.MustCompile(`malformed (HTTP|MIME|chunked)|server sent GOAWAY|invalid (header field|byte in chunk|Trailer)|` +
	`unsupported transfer encoding|bad Content-Length|too many transfer encodings`)

// explainTLS does not repeat the names in a certificate, which may be those of a server that a Secret names.
func explainTLS(err error) string {
	var (
		wrongName    x509.HostnameError
		unknown      x509.UnknownAuthorityError
		invalid      x509.CertificateInvalidError
		verification *tls.CertificateVerificationError
		header       tls.RecordHeaderError
		alert        tls.AlertError
	)
	switch {
	case errors.As(err, &wrongName):
		return "its certificate is for another name"
	case errors.As(err, &unknown):
		return "its certificate is not signed by a known CA: see caBundle"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate is not valid at this time"
	case errors.As(err, &verification), errors.As(err, &invalid):
		return "its certificate is not trusted"
	case errors.As(err, &header):
		return "it does not speak TLS"
	case errors.As(err, &alert):
		return "it refused the TLS handshake"
	default:
		return ""
	}
}

var urls = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>]*`)

// withoutURLs returns the text of an error without URLs: *url.Error has one, and others may quote some.
func withoutURLs(err error) string {
	words := err.Error()
	var call *url.Error
	if errors.As(err, &call) {
		words = strings.ReplaceAll(words, call.Error(), call.Err.Error())
	}
	return urls.ReplaceAllString(words, "(URL)")
}
