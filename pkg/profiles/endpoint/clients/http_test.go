// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

func TestCredentials(t *testing.T) {
	tests := map[string]struct {
		secret map[string]string
		want   string
	}{
		"none":                  {want: ""},
		"a token":               {secret: map[string]string{"token": "t-1"}, want: "Bearer t-1"},
		"a line break after it": {secret: map[string]string{"token": "t-1\n"}, want: "Bearer t-1"},
		"a password":            {secret: map[string]string{"username": "u", "password": "p"}, want: "Basic dTpw"},
		"a token before a user": {
			secret: map[string]string{"username": "u", "password": "p", "token": "t-1"}, want: "Bearer t-1",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := "nothing"
			server := serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") + r.URL.Path })
			w := newWorld(t)
			w.secret("s", test.secret)
			w.endpoint("e", "s", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint(server.URL + "/base")})
			if _, err := w.get("e", "/x"); err != nil || got != test.want+"/base/x" {
				t.Errorf("error %v, got %q, want %q", err, got, test.want+"/base/x")
			}
		})
	}
}

// An endpoint that an earlier version has stored, or whose Secret has the URL, sends no credentials that others can read.
func TestCredentialsAreEncrypted(t *testing.T) {
	w := newWorld(t)
	w.secret("s", map[string]string{"token": "t-1"})
	w.endpoint("e", "s", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint("http://example.com")})
	const want = "its credentials would be sent without encryption: use https"
	if _, err := w.HTTP(t.Context(), "e"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCredentialsGoNowhereElse(t *testing.T) {
	called := false
	other := serve(t, func(http.ResponseWriter, *http.Request) { called = true })
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", other.URL)
		w.WriteHeader(http.StatusFound)
	})
	w := newWorld(t)
	w.secret("s", map[string]string{"token": "t-1"})
	w.endpoint("e", "s", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint(server.URL)})
	response, err := w.get("e", "")
	if err != nil || response.status != http.StatusFound {
		t.Errorf("a redirect: error %v, %v", err, response)
	}
	client, err := w.HTTP(t.Context(), "e")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.ask(client.Client, other.URL); !errors.Is(err, errLeaves) {
		t.Errorf("another server: error %v", err)
	}
	if called {
		t.Error("the other server was called")
	}
}

func TestURLOfTheSecret(t *testing.T) {
	const hidden = "https://hooks.example.com/services/T0/B0/XyZ"
	tests := map[string]struct {
		spec    v1beta1.MaintenanceEndpointSpec
		secret  map[string]string
		want    string
		wantErr string
	}{
		"the endpoint's own": {
			spec: v1beta1.MaintenanceEndpointSpec{Webhook: urlEndpoint("https://a.example.com")},
			want: "https://a.example.com",
		},
		"the Secret's first": {
			spec:   v1beta1.MaintenanceEndpointSpec{Webhook: urlEndpoint("https://a.example.com")},
			secret: map[string]string{"url": hidden + "\n"}, want: hidden,
		},
		"none": {
			spec:    v1beta1.MaintenanceEndpointSpec{Webhook: urlEndpoint("")},
			wantErr: "endpoint e: the Secret s lacks the key url",
		},
		"no URL": {
			spec:    v1beta1.MaintenanceEndpointSpec{Webhook: urlEndpoint("")},
			secret:  map[string]string{"url": "hooks.example.com/XyZ"},
			wantErr: "the key url of the Secret s is no URL that begins with",
		},
		"a password in it": {
			spec:   v1beta1.MaintenanceEndpointSpec{Webhook: urlEndpoint("")},
			secret: map[string]string{"url": "https://u:XyZ@example.com"}, wantErr: "must have no user",
		},
		"a webhook of Slack": {
			spec:   v1beta1.MaintenanceEndpointSpec{Slack: &v1beta1.SlackEndpoint{}},
			secret: map[string]string{"url": hidden}, want: hidden,
		},
		"Slack's API": {
			spec:   v1beta1.MaintenanceEndpointSpec{Slack: &v1beta1.SlackEndpoint{}},
			secret: map[string]string{"token": "xoxb", "url": hidden}, want: "https://slack.com/api/",
		},
		"a server like Slack": {
			spec:   v1beta1.MaintenanceEndpointSpec{Slack: &v1beta1.SlackEndpoint{URL: "https://s.example.com/api/"}},
			secret: map[string]string{"token": "xoxb"}, want: "https://s.example.com/api/",
		},
		"Slack without anything": {
			spec: v1beta1.MaintenanceEndpointSpec{Slack: &v1beta1.SlackEndpoint{}}, wantErr: "lacks the key token",
		},
		"a mail server": {
			spec:    v1beta1.MaintenanceEndpointSpec{SMTP: &v1beta1.SMTPEndpoint{Address: "mail.example.com:25"}},
			wantErr: "it is no HTTP server",
		},
		"CAs that are none": {
			spec: v1beta1.MaintenanceEndpointSpec{
				Webhook: urlEndpoint("https://a.example.com"), CABundle: []byte("no PEM"),
			},
			wantErr: "its caBundle has no certificate",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.secret("s", test.secret)
			w.endpoint("e", "s", test.spec)
			client, err := w.HTTP(t.Context(), "e")
			if test.wantErr != "" {
				wantError(t, err, test.wantErr, "XyZ")
				return
			}
			if err != nil || client.Base.String() != test.want {
				t.Errorf("error %v, %v, want %s", err, client, test.want)
			}
		})
	}
}

func TestSecretsAreReadAgain(t *testing.T) {
	w := newWorld(t)
	w.endpoint("e", "s", v1beta1.MaintenanceEndpointSpec{Slack: &v1beta1.SlackEndpoint{}})
	var fails error
	w.kube.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return fails != nil, nil, fails
	})
	token := func() string {
		t.Helper()
		client, err := w.HTTP(t.Context(), "e")
		if err != nil {
			return err.Error()
		}
		return client.Token
	}
	want := func(want string) {
		t.Helper()
		if got := token(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	want("endpoint e: the Secret maintenance/s does not exist")
	w.secret("s", map[string]string{"token": "one"})
	want("one")
	w.secret("s", map[string]string{"token": "two"})
	want("one")
	w.clock.Step(secretLasts)
	want("two")
	fails = errors.New("the API server is down")
	w.clock.Step(secretLasts)
	want("two")
	fails, w.doubt = nil, errors.New("nobody can tell")
	w.clock.Step(secretLasts)
	want("two")
	w.doubt = apierrors.NewForbidden(v1beta1.Resource("maintenanceendpoints"), "e", errors.New("alice has left"))
	want(`endpoint e: the Secret maintenance/s is not read: maintenanceendpoints.maintenance.medik8s.io "e" is forbidden: alice has left`)
	w.doubt = nil
	want("two")
	w.clock.Step(secretLasts)
	fails = apierrors.NewForbidden(v1beta1.Resource("secrets"), "s", nil)
	want("endpoint e: the server may not get the Secret maintenance/s")
	fails = errors.New("the API server at 10.0.0.1 is down")
	want("could not read the Secret maintenance/s of the endpoint e")
	reads := len(w.kube.Actions())
	w.endpoint("other", "", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint("https://a.example.com")})
	if _, err := w.HTTP(t.Context(), "other"); err != nil || len(w.kube.Actions()) != reads {
		t.Errorf("error %v, a Secret was read that nobody names", err)
	}
}

func TestWithoutASecretNamespace(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.SecretNamespace = "" })
	w.endpoint("e", "s", v1beta1.MaintenanceEndpointSpec{Slack: &v1beta1.SlackEndpoint{}})
	_, err := w.HTTP(t.Context(), "e")
	wantError(t, err, "the server was started without --secret-namespace")
	_, err = w.HTTP(t.Context(), "gone")
	wantError(t, err, "endpoint gone: it does not exist")
	var known *endpoint.Error
	if !errors.As(w.Clean(fmt.Errorf("could not ask: %w", err)), &known) {
		t.Errorf("%v is no *endpoint.Error after Clean", err)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	size := 0
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, size)) })
	w := newWorld(t)
	w.endpoint("http", "", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint(server.URL)})
	w.endpoint("prometheus", "", v1beta1.MaintenanceEndpointSpec{Prometheus: urlEndpoint(server.URL)})
	for _, test := range []struct {
		endpoint string
		size     int
		want     error
	}{
		{"http", 1 << 20, nil},
		{"http", 1<<20 + 1, tooLargeError(1 << 20)},
		{"prometheus", 64 << 10, nil},
		{"prometheus", 64<<10 + 1, tooLargeError(64 << 10)},
	} {
		size = test.size
		response, err := w.get(test.endpoint, "")
		if err != nil {
			t.Fatal(err)
		}
		if !errors.Is(response.readErr, test.want) {
			t.Errorf("%d bytes: error %v, want %v", size, response.readErr, test.want)
		}
	}
}

func TestHeadersAreBounded(t *testing.T) {
	size := 0
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Long", strings.Repeat("a", size)) })
	w := newWorld(t)
	w.endpoint("e", "", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint(server.URL)})
	size = maxHeader - 1024
	if _, err := w.get("e", ""); err != nil {
		t.Errorf("a header that is long enough: %v", err)
	}
	size = maxHeader
	_, err := w.get("e", "")
	wantError(t, w.Clean(err), "server response headers exceeded", server.URL)
}

// Who creates and deletes endpoints again and again does not fill the memory.
func TestEndpointsThatAreGoneAreForgotten(t *testing.T) {
	w := newWorld(t)
	w.secret("s", map[string]string{"token": "one"})
	for i := range 3 {
		name := fmt.Sprint("e", i)
		w.endpoint(name, "s", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint("https://a.example.com")})
		if _, err := w.HTTP(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if len(w.kept) != 1 || len(w.secrets.read) != 1 {
			t.Errorf("%d endpoints and %d Secrets are kept", len(w.kept), len(w.secrets.read))
		}
		if err := w.store.Delete(&v1beta1.MaintenanceEndpoint{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTimeout(t *testing.T) {
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	w := newWorld(t)
	w.endpoint("e", "", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint(server.URL), TimeoutSeconds: ptr.To[int32](1)})
	begun := time.Now()
	_, err := w.get("e", "/secret-path")
	wantError(t, w.Clean(err), "it did not answer in time", server.URL, "/secret-path")
	const unset = time.Duration(v1beta1.DefaultEndpointTimeoutSeconds) * time.Second
	if !errors.Is(w.Clean(err), context.DeadlineExceeded) || time.Since(begun) >= unset {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
}

func TestCABundle(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	server.Config.ErrorLog = nil
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	w := newWorld(t)
	w.endpoint("e", "", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint(server.URL)})
	_, err := w.get("e", "")
	wantError(t, w.Clean(err), "its certificate is not signed by a known CA", server.URL)
	w.endpoint("e", "", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint(server.URL), CABundle: ca})
	if _, err := w.get("e", ""); err != nil {
		t.Error(err)
	}
	byName := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	w.endpoint("e", "", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint(byName), CABundle: ca})
	_, err = w.get("e", "")
	wantError(t, w.Clean(err), "its certificate is for another name", "localhost")
}
