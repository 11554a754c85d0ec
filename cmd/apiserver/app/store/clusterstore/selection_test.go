// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/storage"
)

// The cluster selects by what envelopes repeat, and by nothing else.
func TestSelectAt(t *testing.T) {
	s := New(Config{Kind: testKind, Prefix: "/things"})
	for name, test := range map[string]struct {
		at                    place
		label, field          string
		wantLabel, wantFields string
		wantLeftOut           bool
	}{
		"everything":           {},
		"labels":               {label: "a=b,!c", wantLabel: "a=b,!c"},
		"a label of envelopes": {label: LabelNoBackup + "!=true,a=b", wantLabel: "a=b", wantLeftOut: true},
		"a field":              {field: "spec.nodeName=n", wantFields: "fields.nodeName=n"},
		"not a field":          {field: "spec.nodeName!=n", wantFields: "fields.nodeName!=n"},
		"a value with a comma": {field: `spec.nodeName=n\,m`, wantFields: `fields.nodeName=n\,m`},
		"another field":        {field: "status.phase=Drained", wantLeftOut: true},
		"a name":               {field: "metadata.name=a", wantFields: "metadata.name=a"},
		"a key":                {at: place{name: "a"}, field: "spec.nodeName=n", wantFields: "fields.nodeName=n,metadata.name=a"},
		"no namespaces":        {field: "metadata.namespace=ns", wantLeftOut: true},
	} {
		t.Run(name, func(t *testing.T) {
			label, err := labels.Parse(test.label)
			if err != nil {
				t.Fatal(err)
			}
			field, err := fields.ParseSelector(test.field)
			if err != nil {
				t.Fatal(err)
			}
			var got metav1.ListOptions
			predicate := storage.SelectionPredicate{Label: label, Field: field}
			s.selectAt(test.at, predicate, &got)
			if got.LabelSelector != test.wantLabel || got.FieldSelector != test.wantFields {
				t.Errorf("the cluster selects by %q and %q, want %q and %q", got.LabelSelector, got.FieldSelector, test.wantLabel, test.wantFields)
			}
			if leftOut := s.leavesOut(predicate); leftOut != test.wantLeftOut {
				t.Errorf("leavesOut = %t, want %t", leftOut, test.wantLeftOut)
			}
		})
	}
}
