// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"io"
	"net/http"
)

// Wrap returns a transport that lets writes pass only while this replica leads, and refuses others with
// ErrNotLeading. Requests that write and are in flight when the term ends are canceled. Reads always pass. It
// is for rest.Config.Wrap: below the client's rate limit and its retries, so that each try is checked, just before
// it is sent.
func (f *Fence) Wrap(next http.RoundTripper) http.RoundTripper {
	return fenced{fence: f, next: next}
}

type fenced struct {
	fence *Fence
	next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t fenced) RoundTrip(req *http.Request) (*http.Response, error) {
	if reads(req.Method) {
		return t.next.RoundTrip(req)
	}
	over, err := t.fence.check()
	if err != nil {
		return nil, refuse(req, err)
	}
	ctx, stop := whileTerm(req.Context(), over)
	response, err := t.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		stop()
		return nil, err
	}
	response.Body = &fencedBody{ReadCloser: response.Body, stop: stop}
	return response, nil
}

// WrappedRoundTripper lets client-go find the transport below.
func (t fenced) WrappedRoundTripper() http.RoundTripper { return t.next }

func reads(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// refuse closes the body of a request that is not sent, as a transport must.
func refuse(req *http.Request, err error) error {
	if req.Body != nil {
		_ = req.Body.Close()
	}
	return err
}

// fencedBody is the body of an answer. The request can be canceled until it is closed.
type fencedBody struct {
	io.ReadCloser
	stop func()
}

// Close implements io.Closer.
func (b *fencedBody) Close() error {
	defer b.stop()
	return b.ReadCloser.Close()
}
