// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapinfo"
)

// Who asks as the dashboard does needs the right to list NodeProfiles. Everybody may get paths below /api.
func TestPathOfTheDashboard(t *testing.T) {
	for name, test := range map[string]struct {
		path string
		info bool
		want string
	}{
		"on":           {sapinfo.Path, true, "list maintenance.medik8s.io nodeprofiles"},
		"off":          {sapinfo.Path, false, "list  info"},
		"another path": {"/apis/maintenance.medik8s.io/v1beta1/maintenanceprofiles", true, "list maintenance.medik8s.io maintenanceprofiles"},
	} {
		t.Run(name, func(t *testing.T) {
			config := &genericapiserver.Config{RequestInfoResolver: &apirequest.RequestInfoFactory{
				APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api"),
			}}
			SAPConfig{Info: test.info}.openPath(config)
			got, err := config.RequestInfoResolver.NewRequestInfo(httptest.NewRequestWithContext(t.Context(), http.MethodGet, test.path, nil))
			if err != nil || !got.IsResourceRequest || got.Verb+" "+got.APIGroup+" "+got.Resource != test.want {
				t.Errorf("got %+v, %v, want %s", got, err, test.want)
			}
		})
	}
}

// Without the flag, nothing is made, and nothing runs.
func TestNoMirrors(t *testing.T) {
	c := CompletedConfig{&completedConfig{}}
	m := c.newMirrors()
	if m != nil {
		t.Fatalf("mirrors %v, want none", m)
	}
	if err := m.follow(c, nil, nil); err != nil {
		t.Fatal(err)
	}
	m.watch(t.Context())
}
