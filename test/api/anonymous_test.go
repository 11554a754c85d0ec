// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// refusedPaths are closed to those who do not say who they are.
var refusedPaths = []string{
	"/", "/apis", "/apis/maintenance.medik8s.io", groupVersion, collection, collection + "/a", collection + "?watch=true",
	"/openapi/v2", "/openapi/v3", "/metrics", "/debug/pprof/", "/debug/flags/v", "/configz", "/nonsense",
}

func refused(code int) bool { return code == http.StatusUnauthorized || code == http.StatusForbidden }

func TestAnonymousIsRefused(t *testing.T) {
	t.Parallel()
	config := env.Current(t).Cluster.Config()
	for where, caller := range map[string]caller{
		"through the aggregator": newCaller(t, rest.AnonymousClientConfig(config)),
		"directly":               newCaller(t, rest.AnonymousClientConfig(direct(t, config))),
	} {
		t.Run(where, func(t *testing.T) {
			for _, path := range []string{"/livez", "/readyz", "/healthz", "/version"} {
				caller.get(t, path).want(t, http.StatusOK)
			}
			for _, path := range refusedPaths {
				if got := caller.get(t, path); !refused(got.code) {
					t.Errorf("%s: got %d, want a refusal: %.200s", path, got.code, got.body)
				}
			}
			pool := env.Current(t).NewPool(t, 0)
			if got := caller.do(t, http.MethodPost, collection, asJSON, manifest(pool.Name+"-a", `{"nodeName":"a"}`)); !refused(got.code) {
				t.Errorf("create: got %d, want a refusal", got.code)
			}
			wantNotStored(t, pool, pool.Name+"-a")
		})
	}
}

// Whoever reaches the server's port may claim to be anybody in headers. They
// count only with the front proxy's client certificate.
func TestForgedIdentityIsIgnored(t *testing.T) {
	t.Parallel()
	e := env.Current(t)
	pool := e.NewPool(t, 0)
	nobody := "nobody-of-" + pool.Name
	badToken := rest.AnonymousClientConfig(direct(t, e.Cluster.Config()))
	badToken.BearerToken = "forged"
	for title, caller := range map[string]caller{
		"no certificate":                     newCaller(t, rest.AnonymousClientConfig(direct(t, e.Cluster.Config()))),
		"a user's certificate":               newCaller(t, direct(t, userConfig(t, nobody))),
		"a user's, through the aggregator":   user(t, nobody),
		"a user who is called as the proxy":  newCaller(t, direct(t, userConfig(t, "front-proxy-client"))),
		"a token that the cluster never saw": newCaller(t, badToken),
	} {
		t.Run(title, func(t *testing.T) {
			claims := caller.with("X-Remote-User", "admin").with("X-Remote-Group", "system:masters").with("X-Remote-Group", "system:authenticated")
			for _, path := range []string{collection, "/metrics"} {
				if got := claims.get(t, path); !refused(got.code) {
					t.Errorf("%s: got %d, want a refusal: %.200s", path, got.code, got.body)
				}
			}
			if got := claims.do(t, http.MethodPost, collection, asJSON, manifest(pool.Name+"-a", `{"nodeName":"a"}`)); !refused(got.code) {
				t.Errorf("create: got %d, want a refusal", got.code)
			}
			wantNotStored(t, pool, pool.Name+"-a")
		})
	}
}

// With its certificate they do, which shows that the tests above send them right.
func TestFrontProxyIsBelieved(t *testing.T) {
	t.Parallel()
	e := env.Current(t)
	pool := e.NewPool(t, 0)
	config := rest.AnonymousClientConfig(direct(t, e.Cluster.Config()))
	for file, target := range map[string]*[]byte{"crt": &config.CertData, "key": &config.KeyData} {
		content, err := os.ReadFile(filepath.Join(e.Cluster.Dir(), "certs", "front-proxy-client."+file))
		if err != nil {
			t.Fatal(err)
		}
		*target = content
	}
	proxy := newCaller(t, config)
	if got := proxy.get(t, collection); !refused(got.code) {
		t.Errorf("the proxy for nobody: got %d, want a refusal", got.code)
	}
	name := pool.Name + "-a"
	masters := proxy.with("X-Remote-User", "someone-of-"+pool.Name).with("X-Remote-Group", "system:masters")
	masters.do(t, http.MethodPost, collection, asJSON, manifest(name, `{"nodeName":"`+absentNode(pool)+`"}`)).want(t, http.StatusCreated)
	if got := get(t, pool, name); got.Spec.Requestor != "someone-of-"+pool.Name {
		t.Errorf("got requestor %q", got.Spec.Requestor)
	}
	if got := proxy.with("X-Remote-User", "nobody-of-"+pool.Name).get(t, collection); got.code != http.StatusForbidden {
		t.Errorf("the proxy for a user without rights: got %d, want 403", got.code)
	}
}
