// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	listers "github.com/medik8s/maintenance-apiserver/pkg/generated/listers/maintenance/v1beta1"
)

const secretNamespace = "maintenance"

// world has endpoints and Secrets.
type world struct {
	*Clients
	t     *testing.T
	store cache.Indexer
	kube  *fake.Clientset
	clock *testingclock.FakeClock
	// doubt is what is said of the authors of endpoints.
	doubt error
}

// newWorld returns a world in which servers of tests can be called.
func newWorld(t *testing.T, change ...func(*Config)) *world {
	t.Helper()
	w := &world{
		t: t, store: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{}), kube: fake.NewClientset(),
		clock: testingclock.NewFakeClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)),
	}
	config := Config{
		Endpoints: listers.NewMaintenanceEndpointLister(w.store), Kube: w.kube, SecretNamespace: secretNamespace,
		AllowLoopback: true, Clock: w.clock, Vouch: func(context.Context, *v1beta1.MaintenanceEndpoint) error { return w.doubt },
	}
	for _, c := range change {
		c(&config)
	}
	w.Clients = New(config)
	t.Cleanup(w.Close)
	return w
}

// endpoint adds or replaces an endpoint with the Secret of that name; empty: without one.
func (w *world) endpoint(name, secret string, spec v1beta1.MaintenanceEndpointSpec) {
	w.t.Helper()
	if secret != "" {
		spec.SecretRef = &v1beta1.EndpointSecretReference{Name: secret}
	}
	e := &v1beta1.MaintenanceEndpoint{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}, Spec: spec}
	if err := w.store.Update(e); err != nil {
		w.t.Fatal(err)
	}
}

// secret adds or replaces a Secret.
func (w *world) secret(name string, values map[string]string) {
	w.t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: secretNamespace}, Data: map[string][]byte{}}
	for key, value := range values {
		secret.Data[key] = []byte(value)
	}
	tracker := w.kube.Tracker()
	resource := corev1.SchemeGroupVersion.WithResource("secrets")
	_ = tracker.Delete(resource, secretNamespace, name)
	if err := tracker.Create(resource, secret, secretNamespace); err != nil {
		w.t.Fatal(err)
	}
}

// serve starts a server, and tells of each request.
func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func urlEndpoint(base string) *v1beta1.URLEndpoint { return &v1beta1.URLEndpoint{URL: base} }

// answer is what a server has answered. readErr is why its body could not be read.
type answer struct {
	status  int
	readErr error
}

// get calls an endpoint.
func (w *world) get(name, path string) (answer, error) {
	w.t.Helper()
	client, err := w.HTTP(w.t.Context(), name)
	if err != nil {
		return answer{}, err
	}
	return w.ask(client.Client, client.Base.JoinPath(path).String())
}

func (w *world) ask(client *http.Client, url string) (answer, error) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, url, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return answer{status: response.StatusCode, readErr: err}, nil
}

// wantError checks that an error says something, and does not say something else.
func wantError(t *testing.T, err error, want string, secrets ...string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
		return
	}
	for _, secret := range secrets {
		for _, form := range []string{secret, url.QueryEscape(secret)} {
			if strings.Contains(err.Error(), form) {
				t.Errorf("the error shows %q: %v", form, err)
			}
		}
	}
}
