// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"net/http"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
)

// trustTimeout is how long a request waits until the server can tell who makes it. Usually it takes
// 0.1 seconds from when the port answers.
const trustTimeout = 10 * time.Second

// trust knows whether the CAs are loaded that callers are known by. The library loads them when the port
// answers already. Until then it would take every caller for an anonymous one, and answer 403, which no
// client repeats.
type trust struct {
	awaited []dynamiccertificates.CAContentProvider
	loaded  chan struct{}
	once    sync.Once
}

var _ dynamiccertificates.Listener = &trust{}

// awaitTrust changes config so that nothing but health is answered before the CAs are loaded.
func awaitTrust(config *genericapiserver.Config, awaited []dynamiccertificates.CAContentProvider) {
	t := &trust{awaited: awaited, loaded: make(chan struct{})}
	for _, ca := range awaited {
		ca.AddListener(t)
	}
	t.Enqueue()
	build := config.BuildHandlerChainFunc
	config.BuildHandlerChainFunc = func(apiHandler http.Handler, c *genericapiserver.Config) http.Handler {
		return t.gate(build(apiHandler, c), c)
	}
}

// Enqueue implements dynamiccertificates.Listener: a CA was loaded.
func (t *trust) Enqueue() {
	for _, ca := range t.awaited {
		if _, loaded := ca.VerifyOptions(); !loaded {
			return
		}
	}
	t.once.Do(func() { close(t.loaded) })
}

// gate holds requests back until the CAs are loaded, for trustTimeout at most.
func (t *trust) gate(handler http.Handler, config *genericapiserver.Config) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if isHealth(req.URL.Path) || t.wait(req) {
			handler.ServeHTTP(w, req)
			return
		}
		refusal := apierrors.NewGenericServerResponse(http.StatusServiceUnavailable, req.Method, schema.GroupResource{}, "",
			"the server has not loaded the CAs yet that it knows callers by", 1, true)
		responsewriters.ErrorNegotiated(refusal, config.Serializer, schema.GroupVersion{}, w, req)
	})
}

// wait says whether the CAs are loaded.
func (t *trust) wait(req *http.Request) bool {
	select {
	case <-t.loaded:
		return true
	default:
	}
	timer := time.NewTimer(trustTimeout)
	defer timer.Stop()
	select {
	case <-t.loaded:
		return true
	case <-req.Context().Done():
	case <-timer.C:
	}
	return false
}

func isHealth(path string) bool {
	for _, health := range []string{"/livez", "/readyz", "/healthz"} {
		if path == health || strings.HasPrefix(path, health+"/") {
			return true
		}
	}
	return false
}
