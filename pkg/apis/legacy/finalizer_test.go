// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestFinalizers(t *testing.T) {
	const own = "maintenance.medik8s.io/uncordon"
	for name, test := range map[string]struct {
		stored, want []string
		// wantStored is what a client's unchanged finalizers are stored as; nil is as stored before.
		wantStored []string
	}{
		"none":                          {},
		"ours":                          {stored: []string{own}, want: []string{Finalizer}},
		"between others":                {stored: []string{"a/b", own, "c/d"}, want: []string{"a/b", Finalizer, "c/d"}},
		"only others":                   {stored: []string{"a/b"}, want: []string{"a/b"}},
		"both, through our own group":   {stored: []string{own, "a/b", Finalizer}, want: []string{Finalizer, "a/b"}, wantStored: []string{own, "a/b"}},
		"both, the other way round":     {stored: []string{Finalizer, "a/b", own}, want: []string{Finalizer, "a/b"}, wantStored: []string{own, "a/b"}},
		"the old name, through our own": {stored: []string{Finalizer}, want: []string{Finalizer}, wantStored: []string{own}},
	} {
		t.Run(name, func(t *testing.T) {
			got := MetadataFromHub(metav1.ObjectMeta{Finalizers: test.stored}).Finalizers
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("a client sees others (-want +got):\n%s", diff)
			}
			wantStored := test.wantStored
			if wantStored == nil {
				wantStored = test.stored
			}
			if diff := cmp.Diff(wantStored, MetadataToHub(metav1.ObjectMeta{Finalizers: got}).Finalizers); diff != "" {
				t.Errorf("others are stored (-want +got):\n%s", diff)
			}
		})
	}
}
