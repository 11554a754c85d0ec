// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
)

// fakeCA is a CA that is not loaded at first.
type fakeCA struct {
	dynamiccertificates.CAContentProvider
	listener dynamiccertificates.Listener
	loaded   atomic.Bool
}

func (c *fakeCA) AddListener(listener dynamiccertificates.Listener) { c.listener = listener }

func (c *fakeCA) VerifyOptions() (x509.VerifyOptions, bool) {
	return x509.VerifyOptions{}, c.loaded.Load()
}

func (c *fakeCA) load() {
	c.loaded.Store(true)
	c.listener.Enqueue()
}

// gated is a handler that answers 200 to what gets through.
func gated(awaited ...dynamiccertificates.CAContentProvider) http.Handler {
	config := &genericapiserver.Config{
		Serializer:            scheme.Codecs,
		BuildHandlerChainFunc: func(handler http.Handler, _ *genericapiserver.Config) http.Handler { return handler },
	}
	awaitTrust(config, awaited)
	return config.BuildHandlerChainFunc(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), config)
}

func ask(ctx context.Context, handler http.Handler, path string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody))
	return answer
}

func TestRequestsWaitForTheCAs(t *testing.T) {
	clients, proxies := &fakeCA{}, &fakeCA{}
	handler := gated(clients, proxies)
	impatient, leave := context.WithCancel(t.Context())
	leave()
	wantTried := func(step string) {
		t.Helper()
		answer := ask(impatient, handler, "/apis")
		if answer.Code != http.StatusServiceUnavailable || answer.Header().Get("Retry-After") != "1" {
			t.Errorf("%s: got %d, Retry-After %q; want 503 and 1", step, answer.Code, answer.Header().Get("Retry-After"))
		}
	}
	wantTried("no CA is loaded")
	for _, path := range []string{"/livez", "/readyz", "/readyz/etcd", "/healthz"} {
		if answer := ask(impatient, handler, path); answer.Code != http.StatusOK {
			t.Errorf("%s: got %d, want 200", path, answer.Code)
		}
	}
	answered := make(chan int)
	go func() { answered <- ask(t.Context(), handler, "/apis").Code }()
	clients.load()
	wantTried("one CA is loaded")
	proxies.load()
	if code := <-answered; code != http.StatusOK {
		t.Errorf("the request that waited: got %d, want 200", code)
	}
	if answer := ask(impatient, handler, "/apis"); answer.Code != http.StatusOK {
		t.Errorf("all CAs are loaded: got %d, want 200", answer.Code)
	}
}

func TestNothingToWaitFor(t *testing.T) {
	if answer := ask(t.Context(), gated(), "/apis"); answer.Code != http.StatusOK {
		t.Errorf("got %d, want 200", answer.Code)
	}
}
