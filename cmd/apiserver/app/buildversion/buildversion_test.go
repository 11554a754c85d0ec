// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package buildversion

import (
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/version"
	baseversion "k8s.io/component-base/version"
)

func TestIsVersion(t *testing.T) {
	tests := map[string]struct {
		version string
		want    bool
	}{
		"placeholder":         {version: baseversion.Get().GitVersion},
		"nothing":             {version: ""},
		"not semantic":        {version: "v1"},
		"release":             {version: "v1.2.3", want: true},
		"between two of them": {version: "v1.2.4-dev.5.g688d3013cbe3.dirty", want: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := isVersion(tt.version); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}

func TestOfGo(t *testing.T) {
	tests := map[string]struct {
		build debug.BuildInfo
		want  version.Info
	}{
		"go test": {
			build: debug.BuildInfo{Main: debug.Module{Version: "(devel)"}},
			want:  version.Info{Major: "0", Minor: "0", GitVersion: "v0.0.0-unknown", BuildDate: "1970-01-01T00:00:00Z"},
		},
		"go install of a release": {
			build: debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}},
			want:  version.Info{Major: "1", Minor: "2", GitVersion: "v1.2.3", BuildDate: "1970-01-01T00:00:00Z"},
		},
		"go build in a changed checkout": {
			build: debug.BuildInfo{
				Main: debug.Module{Version: "v1.2.4-0.20260504120000-688d3013cbe3+dirty"},
				Settings: []debug.BuildSetting{
					{Key: "vcs.revision", Value: "688d3013cbe340d2eec617e4dbd2733766515bcf"},
					{Key: "vcs.time", Value: "2026-05-04T12:00:00Z"},
					{Key: "vcs.modified", Value: "true"},
				},
			},
			want: version.Info{
				Major: "1", Minor: "2", GitVersion: "v1.2.4-0.20260504120000-688d3013cbe3+dirty",
				GitCommit: "688d3013cbe340d2eec617e4dbd2733766515bcf", GitTreeState: "dirty", BuildDate: "2026-05-04T12:00:00Z",
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			placeholders := version.Info{GitVersion: "v0.0.0-master+$Format:%H$", GitCommit: "$Format:%H$", BuildDate: "1970-01-01T00:00:00Z"}
			if diff := cmp.Diff(tt.want, ofGo(placeholders, &tt.build)); diff != "" {
				t.Errorf("versions differ (-want +got):\n%s", diff)
			}
		})
	}
}
