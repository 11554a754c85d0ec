// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machineapi

import (
	"slices"
	"strings"
	"testing"
)

// A module that is not the one that was chosen is not used.
func TestDownloadIsChecked(t *testing.T) {
	tests := map[string]struct {
		change  func(m *module)
		wantErr string
	}{
		"another sum":     {change: func(m *module) { m.sum = "h1:other" }, wantErr: clusterAPI.sum + ", not h1:other"},
		"no such version": {change: func(m *module) { m.version = "v0.0.0-none" }, wantErr: "could not download sigs.k8s.io/cluster-api@v0.0.0-none"},
		"no such file":    {change: func(m *module) { m.files = []string{"none.yaml"} }, wantErr: "none.yaml"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			changed := clusterAPI
			test.change(&changed)
			if _, err := changed.definitions(t.Context()); err == nil || !strings.Contains(err.Error(), test.wantErr) {
				t.Errorf("got %v, want %q", err, test.wantErr)
			}
		})
	}
}

func TestKeepVersions(t *testing.T) {
	tests := map[string]struct {
		keep, wantStored []string
		wantErr          bool
	}{
		"one":         {keep: []string{"v1beta1"}, wantStored: []string{"v1beta1"}},
		"both":        {keep: []string{"v1beta1", "v1beta2"}, wantStored: []string{"v1beta2"}},
		"one is none": {keep: []string{"v1beta1", "v1"}, wantErr: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			read, err := clusterAPI.definitions(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			err = keepVersions(read[0], test.keep)
			if test.wantErr {
				if err == nil {
					t.Error("no error")
				}
				return
			}
			var kept, stored []string
			for _, version := range versionsOf(read[0]) {
				kept = append(kept, version["name"].(string))
				if version["storage"] == true {
					stored = append(stored, version["name"].(string))
				}
			}
			if err != nil || !slices.Equal(kept, test.keep) || !slices.Equal(stored, test.wantStored) {
				t.Errorf("kept %v, stored %v (%v)", kept, stored, err)
			}
		})
	}
}
