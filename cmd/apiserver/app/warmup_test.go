// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
)

const (
	forbiddenText = `User "system:serviceaccount:a:b" cannot get path "/apis"`
	forbidden     = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"forbidden: ` +
		`User \"system:serviceaccount:a:b\" cannot get path \"/apis\""}`
	unauthorized = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Unauthorized","code":401,"message":"Unauthorized"}`
)

// startingCluster refuses the first requests, and returns a kubeconfig for it.
func startingCluster(t *testing.T, refusals int32, code int, refusal string) string {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case asked.Add(1) <= refusals:
			w.WriteHeader(code)
			fmt.Fprint(w, refusal)
		case strings.HasSuffix(req.URL.Path, "/configmaps/extension-apiserver-authentication"):
			fmt.Fprint(w, `{"kind":"ConfigMap","apiVersion":"v1","data":{"client-ca-file":"x"}}`)
		default:
			fmt.Fprint(w, `{"kind":"APIResourceList","apiVersion":"v1","resources":[{"name":"validatingadmissionpolicies"}]}`)
		}
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	content := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"a","clusters":[{"name":"a","cluster":{"server":%q}}],`+
		`"contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],"users":[{"name":"a","user":{}}]}`, server.URL)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestClusterThatIsJustStarting(t *testing.T) {
	const timeout = 10 * time.Minute // on a busy machine
	tests := map[string]struct {
		refusals int32
		code     int
		refusal  string
		want     []string
	}{
		"roles do not count yet":  {refusals: 2, code: http.StatusForbidden, refusal: forbidden},
		"tokens do not count yet": {refusals: 2, code: http.StatusUnauthorized, refusal: unauthorized},
		"roles never count": {refusals: 1000, code: http.StatusForbidden, refusal: forbidden, want: []string{
			"could not reach the cluster at http://127.0.0.1:", forbiddenText, "artifacts/install.yaml", "just starting",
		}},
		"tokens never count": {refusals: 1000, code: http.StatusUnauthorized, refusal: unauthorized, want: []string{
			"could not reach the cluster at http://127.0.0.1:", "Unauthorized", "renew the token or certificate", "just starting",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := discover(t.Context(), startingCluster(t, test.refusals, test.code, test.refusal), timeout)
			wantError(t, "discovery", err, test.want)
			authentication := genericoptions.NewDelegatingAuthenticationOptions()
			authentication.RemoteKubeConfigFile = startingCluster(t, test.refusals, test.code, test.refusal)
			found, err := lookUpCallers(t.Context(), authentication, timeout)
			wantError(t, "the callers' CAs", err, test.want)
			if awaited := found.awaited(&genericapiserver.AuthenticationInfo{}); err == nil && len(awaited) != 1 {
				t.Errorf("%d CAs are awaited, want the clients' CA", len(awaited))
			}
		})
	}
}

func TestCallersThatAreNotLookedUp(t *testing.T) {
	authentication := genericoptions.NewDelegatingAuthenticationOptions()
	authentication.SkipInClusterLookup = true
	found, err := lookUpCallers(t.Context(), authentication, time.Minute)
	if err != nil || found.awaited(&genericapiserver.AuthenticationInfo{}) != nil || authentication.ClientCert.CAContentProvider != nil {
		t.Errorf("got %+v and %v, want nothing", found, err)
	}
}

// wantError checks that an error has all texts; without any, that there is no error.
func wantError(t *testing.T, what string, err error, want []string) {
	t.Helper()
	if (err != nil) != (want != nil) {
		t.Fatalf("%s: got %v", what, err)
	}
	for _, text := range want {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%s: want %q in %v", what, text, err)
		}
	}
}
