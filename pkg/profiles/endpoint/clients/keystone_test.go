// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// keystone gives tokens that last an hour.
type keystone struct {
	w       *world
	bodies  []string
	refuses bool
}

func (k *keystone) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if k.refuses || r.Method != http.MethodPost || r.URL.Path != "/v3/auth/tokens" {
		http.Error(w, string(body), http.StatusUnauthorized)
		return
	}
	k.bodies = append(k.bodies, string(body))
	w.Header().Set("X-Subject-Token", fmt.Sprint("token-", len(k.bodies)))
	w.WriteHeader(http.StatusCreated)
	expires := k.w.clock.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04:05.000000Z")
	_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]string{"expires_at": expires}})
}

func TestKeystone(t *testing.T) {
	w := newWorld(t)
	k := &keystone{w: w}
	identity := serve(t, k.ServeHTTP)
	valid, got := "token-1", ""
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if got = r.Header.Get("X-Auth-Token"); got != valid {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	conf := "[Global]\nauth-url=\"%s/v3/\"\nusername = admin\npassword=\"p#w;1\"\n" +
		"tenant-name=project\ndomain-name=d-1\nregion=eu\n"
	w.secret("s", map[string]string{"cloudprovider.conf": fmt.Sprintf(conf, identity.URL)})
	w.endpoint("e", "s", v1beta1.MaintenanceEndpointSpec{Keystone: urlEndpoint(server.URL)})
	call := func(want string, status int) {
		t.Helper()
		response, err := w.get("e", "/api")
		if err != nil || response.status != status || got != want {
			t.Errorf("error %v, %v with %q, want %d with %q", err, response, got, status, want)
		}
	}
	call("token-1", 200)
	call("token-1", 200)
	valid = "token-2"
	call("token-1", 401) // revoked
	call("token-2", 200)
	w.clock.Step(time.Hour - tokenMargin)
	valid = "token-3"
	call("token-3", 200)
	want := `{"auth":{"identity":{"methods":["password"],"password":{"user":{"name":"admin","domain":{"name":"d-1"},` +
		`"password":"p#w;1"}}},"scope":{"project":{"name":"project","domain":{"name":"d-1"}}}}}`
	if diff := cmp.Diff([]string{want, want, want}, k.bodies); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	k.refuses = true
	w.clock.Step(time.Hour)
	_, err := w.get("e", "/api")
	wantError(t, w.Clean(err), "could not get a token of Keystone: it answered with 401", "p#w;1", identity.URL, "token-3")
}

func TestParseLogin(t *testing.T) {
	tests := map[string]struct {
		conf, want, wantErr string
	}{
		"an application credential": {
			conf: "[Global]\nauth-url=https://i/v3\napplication-credential-id=id\napplication-credential-secret=s",
			want: `{"auth":{"identity":{"methods":["application_credential"],"application_credential":{"id":"id","secret":"s"}}}}`,
		},
		"an application credential by name": {
			conf: "[global]\nauth-url=https://i\napplication-credential-name=n\napplication-credential-secret=s\nuser-id=u",
			want: `{"auth":{"identity":{"methods":["application_credential"],` +
				`"application_credential":{"name":"n","secret":"s","user":{"id":"u"}}}}}`,
		},
		"ids": {
			conf: "[Global]\nauth-url=https://i/v3\nuser-id=u\npassword=p\ntenant-id=t",
			want: `{"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"u","password":"p"}}},` +
				`"scope":{"project":{"id":"t"}}}}`,
		},
		"no credentials": {
			conf: "[Global]\nauth-url=https://i/v3\nusername=u", wantErr: "has neither username and password nor",
		},
		"no URL":         {conf: "[Global]\nusername=u\npassword=p-1", wantErr: "the key cloudprovider.conf of its Secret has no auth-url"},
		"no such URL":    {conf: "[Global]\nauth-url=i/p-1\nusername=u\npassword=p", wantErr: "auth-url in the key cloudprovider.conf of its Secret is no URL"},
		"no such format": {conf: "password p-1", wantErr: "is not in the format of OpenStack's cloud provider"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			l, err := parseLogin("e", test.conf)
			if test.wantErr != "" {
				wantError(t, err, test.wantErr, "p-1")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, _ := json.Marshal(l.request())
			if diff := cmp.Diff(test.want, string(got)); diff != "" || l.url != "https://i/v3/auth/tokens" {
				t.Errorf("%s, -want +got:\n%s", l.url, diff)
			}
		})
	}
}
