// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// bounded is a transport that only reads, and ends an answer that is too long with an error, so that it
// does not fill the memory. Logs are longer, and are read piece by piece.
type bounded struct {
	http.RoundTripper
}

// RoundTrip sends a request.
func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet {
		return nil, fmt.Errorf("a request to %s something was refused: must-gather only reads", request.Method)
	}
	response, err := b.RoundTripper.RoundTrip(request)
	if err == nil && !strings.HasSuffix(request.URL.Path, "/log") {
		response.Body = &limitedBody{ReadCloser: response.Body, left: maxAnswer}
	}
	return response, err
}

type limitedBody struct {
	io.ReadCloser
	left int64
}

// Read fails once the body is longer than its limit.
func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
	}
	return n, err
}
