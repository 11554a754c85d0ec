// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

type answers func(*http.Request) *http.Response

func (a answers) RoundTrip(request *http.Request) (*http.Response, error) {
	return a(request), request.Context().Err()
}

// endless is a body that does not end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func (endless) Close() error { return nil }

func TestBoundedTransport(t *testing.T) {
	client := http.Client{Transport: bounded{answers(func(*http.Request) *http.Response {
		return &http.Response{StatusCode: http.StatusOK, Body: endless{}}
	})}}
	response, err := client.Get("http://192.0.2.1/api/v1/nodes")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.Copy(io.Discard, io.LimitReader(response.Body, 2*maxAnswer))
	if err == nil || read > maxAnswer || !strings.Contains(err.Error(), "longer than 64 MiB") {
		t.Errorf("read %d bytes, error %v", read, err)
	}
	log, err := client.Get("http://192.0.2.1/api/v1/namespaces/a/pods/b/log")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Body.Close() }()
	if read, err := io.Copy(io.Discard, io.LimitReader(log.Body, 2*maxAnswer)); err != nil || read != 2*maxAnswer {
		t.Errorf("read %d bytes of a log, error %v", read, err)
	}
	posted, err := client.Post("http://192.0.2.1/", "", nil)
	if err == nil {
		_ = posted.Body.Close()
		t.Error("a POST was sent")
	}
}
