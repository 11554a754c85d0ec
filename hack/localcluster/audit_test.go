// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"slices"
	"strings"
	"testing"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

func TestReadAuditEvents(t *testing.T) {
	const eviction = `{"verb":"create","objectRef":{"resource":"pods","subresource":"eviction","name":"a"},"responseStatus":{"code":429}}` + "\n"
	const read = `{"verb":"get","objectRef":{"resource":"pods","name":"b"}}` + "\n"
	const discovery = `{"verb":"get","requestURI":"/api"}` + "\n"
	for name, tc := range map[string]struct {
		log       string
		text      string
		keep      func(*auditv1.Event) bool
		wantNames []string
		wantErr   bool
	}{
		"empty":          {keep: IsEviction},
		"evictions":      {log: discovery + read + eviction + read + eviction, keep: IsEviction, wantNames: []string{"a", "a"}},
		"with a text":    {log: read + "no JSON\n" + eviction, text: `"name":"b"`, keep: func(*auditv1.Event) bool { return true }, wantNames: []string{"b"}},
		"half a line":    {log: eviction + eviction[:20], keep: IsEviction, wantNames: []string{"a"}},
		"everything":     {log: read + eviction, keep: func(*auditv1.Event) bool { return true }, wantNames: []string{"b", "a"}},
		"not audit's":    {log: "no JSON\n", keep: IsEviction, wantErr: true},
		"very long line": {log: strings.Repeat(" ", 1<<20) + eviction, keep: IsEviction, wantNames: []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			events, err := readAuditEvents(strings.NewReader(tc.log), tc.text, tc.keep)
			if (err != nil) != tc.wantErr {
				t.Fatalf("got error %v, want error: %v", err, tc.wantErr)
			}
			var names []string
			for _, event := range events {
				names = append(names, event.ObjectRef.Name)
			}
			if !slices.Equal(names, tc.wantNames) {
				t.Errorf("got events of %v, want %v", names, tc.wantNames)
			}
		})
	}
}
