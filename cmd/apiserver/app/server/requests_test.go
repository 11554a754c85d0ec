// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
)

func TestRequestsEndWhenCutOff(t *testing.T) {
	config := &genericapiserver.Config{
		BuildHandlerChainFunc: func(handler http.Handler, _ *genericapiserver.Config) http.Handler { return handler },
	}
	ends := makeRequestsEnd(config)
	began, ended := make(chan struct{}), make(chan error)
	handler := config.BuildHandlerChainFunc(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		close(began)
		<-req.Context().Done()
		ended <- req.Context().Err()
	}), config)

	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	go handler.ServeHTTP(httptest.NewRecorder(), request)
	<-began
	select {
	case err := <-ended:
		t.Errorf("the request ended before it was cut off: %v", err)
	default:
	}
	ends.cutOff()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the request ended with %v, want %v", err, context.Canceled)
	}
}

func TestConnectionsAreToldToGo(t *testing.T) {
	for name, test := range map[string]struct{ http2, wantClosed bool }{
		"HTTP/1":                     {wantClosed: true},
		"HTTP/2, where it is unsafe": {http2: true},
	} {
		t.Run(name, func(t *testing.T) {
			config := &genericapiserver.Config{
				BuildHandlerChainFunc: func(handler http.Handler, _ *genericapiserver.Config) http.Handler { return handler },
			}
			ends := makeRequestsEnd(config)
			from := make(chan string, 1)
			server := httptest.NewUnstartedServer(config.BuildHandlerChainFunc(
				http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { from <- req.RemoteAddr }), config))
			server.EnableHTTP2 = test.http2
			server.StartTLS()
			defer server.Close()
			ask := func() (connection string) {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				answer, err := server.Client().Do(req)
				if err != nil {
					t.Fatal(err)
				}
				defer answer.Body.Close()
				if _, err := io.Copy(io.Discard, answer.Body); err != nil {
					t.Fatal(err)
				}
				return <-from
			}

			first := ask()
			if again := ask(); again != first {
				t.Errorf("the second request came from %s, want the connection of the first, %s", again, first)
			}
			ends.closeConnections()
			if last := ask(); last != first {
				t.Errorf("the third request came from %s, want the same connection, %s", last, first)
			}
			if closed := ask() != first; closed != test.wantClosed {
				t.Errorf("the connection was closed: %t, want %t", closed, test.wantClosed)
			}
		})
	}
}

func TestWatchesCloseTheirConnections(t *testing.T) {
	for verb, wantClose := range map[string]bool{"watch": true, "list": false} {
		answer := httptest.NewRecorder()
		handler := closeConnectionOfWatches(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		ctx := request.WithRequestInfo(t.Context(), &request.RequestInfo{Verb: verb})
		handler.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody))
		if got := answer.Header().Get("Connection") == "close"; got != wantClose {
			t.Errorf("a %s closes its connection: %t, want %t", verb, got, wantClose)
		}
	}
}
