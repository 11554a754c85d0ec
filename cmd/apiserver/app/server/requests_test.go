// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	genericapiserver "k8s.io/apiserver/pkg/server"
)

func TestRequestsEndWhenCutOff(t *testing.T) {
	config := &genericapiserver.Config{
		BuildHandlerChainFunc: func(handler http.Handler, _ *genericapiserver.Config) http.Handler { return handler },
	}
	cutOff := makeRequestsEnd(config)
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
	cutOff()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the request ended with %v, want %v", err, context.Canceled)
	}
}
