// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
	genericapiserver "k8s.io/apiserver/pkg/server"
	restclient "k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/buildversion"
)

func TestVersionIsServed(t *testing.T) {
	build := apimachineryversion.Info{
		GitVersion: "v1.2.4-dev.5.g688d3013cbe3", GitCommit: "688d3013cbe340d2eec617e4dbd2733766515bcf", GitTreeState: "clean",
		BuildDate: "2026-05-04T12:00:00Z", GoVersion: "go1.26", Compiler: "gc", Platform: "linux/amd64",
	}
	config := NewGenericConfig()
	config.EffectiveVersion = newEffectiveVersion(build)
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

	want := build
	want.Major, want.Minor = "1", "2"
	want.EmulationMajor, want.EmulationMinor = "1", "2"
	want.MinCompatibilityMajor, want.MinCompatibilityMinor = "1", "2"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("versions differ (-want +got):\n%s", diff)
	}
}

func TestVersionsAreValid(t *testing.T) {
	for _, gitVersion := range []string{buildversion.Get().GitVersion, "v0.1.0-dev.g688d3013cbe3.dirty", "v0.1.0", "v1.0.0", "v12.34.56"} {
		v := newEffectiveVersion(apimachineryversion.Info{GitVersion: gitVersion})
		if errs := v.Validate(); len(errs) > 0 {
			t.Errorf("%s is refused: %v", gitVersion, errs)
		}
	}
}

func TestZeroIsShown(t *testing.T) {
	got := newEffectiveVersion(apimachineryversion.Info{GitVersion: "v0.1.0"}).Info()
	want := &apimachineryversion.Info{
		Major: "0", Minor: "1", GitVersion: "v0.1.0",
		EmulationMajor: "0", EmulationMinor: "1",
		MinCompatibilityMajor: "0", MinCompatibilityMinor: "1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("versions differ (-want +got):\n%s", diff)
	}
}
