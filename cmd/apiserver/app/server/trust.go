// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/klog/v2"
)

// trustTimeout is how long a request waits until the server can tell who makes it. Usually it takes
// 0.1 seconds from when the port answers.
const trustTimeout = 10 * time.Second

// trustNeeds says what the server needs to load the CAs.
const trustNeeds = "the server must be able to get, list and watch the ConfigMap extension-apiserver-authentication in namespace kube-system"

// trust knows whether the CAs are loaded that callers are known by. The library loads them when the port
// answers already. Until then it would take every caller for an anonymous one, and answer 403, which no
// client repeats.
type trust struct {
	awaited []dynamiccertificates.CAContentProvider
	loaded  chan struct{}
	once    sync.Once
	// late logs once that the CAs are not loaded after trustTimeout.
	late *time.Timer
}

var _ dynamiccertificates.Listener = &trust{}

// awaitTrust changes config so that nothing but health is answered before the CAs are loaded, and that the
// server is not ready before.
func awaitTrust(config *genericapiserver.Config, awaited []dynamiccertificates.CAContentProvider) {
	t := &trust{awaited: awaited, loaded: make(chan struct{})}
	t.late = time.AfterFunc(trustTimeout, t.complain)
	config.AddReadyzChecks(healthz.NamedCheck("callers-known", t.check))
	for _, ca := range awaited {
		ca.AddListener(t)
	}
	t.Enqueue()
	wrapAll(config, func(handler http.Handler) http.Handler { return t.gate(handler, config) })
}

// Enqueue implements dynamiccertificates.Listener: a CA was loaded.
func (t *trust) Enqueue() {
	if len(t.missing()) > 0 {
		return
	}
	t.once.Do(func() {
		t.late.Stop()
		close(t.loaded)
	})
}

// missing has the names of the CAs that are not loaded.
func (t *trust) missing() (names []string) {
	for _, ca := range t.awaited {
		if _, loaded := ca.VerifyOptions(); !loaded {
			names = append(names, ca.Name())
		}
	}
	return names
}

// check fails until all CAs were loaded once.
func (t *trust) check(*http.Request) error {
	if t.isLoaded() {
		return nil
	}
	return fmt.Errorf("could not load the CAs that callers are known by: %s: %s", strings.Join(t.missing(), ", "), trustNeeds)
}

func (t *trust) isLoaded() bool {
	select {
	case <-t.loaded:
		return true
	default:
		return false
	}
}

func (t *trust) complain() {
	if err := t.check(nil); err != nil {
		klog.ErrorS(err, "Requests are refused until the CAs are loaded", "waited", trustTimeout)
	}
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
	if t.isLoaded() {
		return true
	}
	timer := time.NewTimer(trustTimeout)
	defer timer.Stop()
	select {
	case <-t.loaded:
	case <-req.Context().Done():
	case <-timer.C:
	}
	return t.isLoaded() // perhaps at the same time as something else
}

func isHealth(path string) bool {
	for _, health := range []string{"/livez", "/readyz", "/healthz"} {
		if path == health || strings.HasPrefix(path, health+"/") {
			return true
		}
	}
	return false
}
