// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"net/url"
	"strings"
	"testing"
)

func TestDrainPlanOptions(t *testing.T) {
	tests := map[string]struct {
		query   string
		want    string
		wantErr string
	}{
		"a selector":           {query: "podSelector=app%3Dweb", want: "app=web"},
		"what kubectl adds":    {query: "podSelector=app%3Dweb&includeObject=Object&timeout=30s&pretty=true", want: "app=web"},
		"a misspelt parameter": {query: "podselector=app%3Dweb", wantErr: `unknown query parameter "podselector": use hold, podSelector`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			values, err := url.ParseQuery(test.query)
			if err != nil {
				t.Fatal(err)
			}
			var got DrainPlanOptions
			err = readDrainPlanOptions(values, &got, nil)
			if (err == nil) != (test.wantErr == "") || (err != nil && !strings.Contains(err.Error(), test.wantErr)) {
				t.Fatalf("got error %v, want %q", err, test.wantErr)
			}
			if got.PodSelector != test.want {
				t.Errorf("got selector %q, want %q", got.PodSelector, test.want)
			}
		})
	}
}
