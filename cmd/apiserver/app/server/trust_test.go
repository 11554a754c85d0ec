// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"context"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
)

// fakeCA is a CA that is not loaded at first.
type fakeCA struct {
	dynamiccertificates.CAContentProvider
	listener dynamiccertificates.Listener
	loaded   atomic.Bool
}

func (c *fakeCA) Name() string { return "a-ca" }

func (c *fakeCA) AddListener(listener dynamiccertificates.Listener) { c.listener = listener }

func (c *fakeCA) VerifyOptions() (x509.VerifyOptions, bool) {
	return x509.VerifyOptions{}, c.loaded.Load()
}

func (c *fakeCA) load() {
	c.loaded.Store(true)
	c.listener.Enqueue()
}

func awaiting(awaited ...dynamiccertificates.CAContentProvider) *genericapiserver.Config {
	config := &genericapiserver.Config{
		Serializer:            scheme.Codecs,
		BuildHandlerChainFunc: func(handler http.Handler, _ *genericapiserver.Config) http.Handler { return handler },
	}
	awaitTrust(config, awaited)
	return config
}

// gated is a handler that answers 200 to what gets through.
func gated(awaited ...dynamiccertificates.CAContentProvider) http.Handler {
	config := awaiting(awaited...)
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

// ending is the context of a request that ends just when it begins to wait, after something else has happened.
type ending struct {
	context.Context
	after func()
}

func (e ending) Done() <-chan struct{} {
	e.after()
	done := make(chan struct{})
	close(done)
	return done
}

func TestCAsThatAreLoadedAtTheLastMoment(t *testing.T) {
	for range 20 { // which of two events counts that are there at once, is left to chance
		ca := &fakeCA{}
		if answer := ask(ending{t.Context(), ca.load}, gated(ca), "/apis"); answer.Code != http.StatusOK {
			t.Fatalf("got %d, want 200", answer.Code)
		}
	}
}

func TestNothingToWaitFor(t *testing.T) {
	if answer := ask(t.Context(), gated(), "/apis"); answer.Code != http.StatusOK {
		t.Errorf("got %d, want 200", answer.Code)
	}
}

// The server is not ready before the CAs are loaded. What is missing is logged once.
func TestReadyWithTheCAs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		klog.SetLogger(textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&logged))))
		defer klog.ClearLogger()
		late, soon := &fakeCA{}, &fakeCA{}
		checks := slices.Concat(awaiting(late).ReadyzChecks, awaiting(soon).ReadyzChecks)
		soon.load()
		time.Sleep(3 * trustTimeout)
		synctest.Wait()
		const want = "could not load the CAs that callers are known by: a-ca: the server must be able to get, list and watch " +
			"the ConfigMap extension-apiserver-authentication in namespace kube-system"
		if got := strings.Count(logged.String(), want); got != 1 {
			t.Errorf("logged %d times, want once, in %s", got, &logged)
		}
		if err := checks[0].Check(nil); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		late.load()
		for _, check := range checks {
			if err := check.Check(nil); err != nil || check.Name() != "callers-known" {
				t.Errorf("%s: got %v, want ready", check.Name(), err)
			}
		}
	})
}
