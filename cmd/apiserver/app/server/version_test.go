// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
	genericapiserver "k8s.io/apiserver/pkg/server"
	restclient "k8s.io/client-go/rest"
)

func TestVersionIsServed(t *testing.T) {
	config := NewGenericConfig()
	config.ExternalAddress = "127.0.0.1:443"
	config.LoopbackClientConfig = &restclient.Config{}
	generic, err := config.Config.Complete(nil).New("test", genericapiserver.NewEmptyDelegate())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(generic.Destroy)

	recorder := httptest.NewRecorder()
	generic.Handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/version", http.NoBody))
	var got apimachineryversion.Info
	if err := json.Unmarshal(recorder.Body.Bytes(), &got); err != nil {
		t.Fatalf("could not parse answer %d %q: %v", recorder.Code, recorder.Body, err)
	}

	want := apimachineryversion.Info{
		Major: "0", Minor: "1",
		EmulationMajor: "0", EmulationMinor: "1",
		MinCompatibilityMajor: "0", MinCompatibilityMinor: "1",
	}
	ofTheBuild := cmpopts.IgnoreFields(want, "GitVersion", "GitCommit", "GitTreeState", "BuildDate", "GoVersion", "Compiler", "Platform")
	if diff := cmp.Diff(want, got, ofTheBuild); diff != "" {
		t.Errorf("versions differ (-want +got):\n%s", diff)
	}
}

func TestVersionIsValid(t *testing.T) {
	if errs := newEffectiveVersion(ownVersion).Validate(); len(errs) > 0 {
		t.Errorf("the version is refused: %v", errs)
	}
}
