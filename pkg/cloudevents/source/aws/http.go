// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aws

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// httpClient sends requests for the SDK.
type httpClient interface {
	Do(*http.Request) (*http.Response, error)
}

// wholeRequests sends each request from memory. The SDK closes the body of a request as soon as the answer begins. Go may
// just be looking for the end of that body: then it takes this for an error, closes the connection while the answer is
// read, and the SDK has to ask again.
type wholeRequests struct{ httpClient }

// Do sends a request.
func (c wholeRequests) Do(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, fmt.Errorf("could not read the request: %w", err)
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	return c.httpClient.Do(request)
}
