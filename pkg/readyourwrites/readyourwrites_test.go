// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package readyourwrites

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func object(version string) *corev1.Node {
	if version == "" {
		return nil
	}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "uid", ResourceVersion: version}}
}

func TestNewest(t *testing.T) {
	tests := map[string]struct {
		shown, cached string
		gone          types.UID
		want          string
		wantConfirmed bool
		wantKnown     bool
	}{
		"nothing was shown":                {cached: "5", want: "5"},
		"there is none":                    {},
		"the cache is behind":              {shown: "7", cached: "5", want: "7", wantConfirmed: true, wantKnown: true},
		"the cache does not show it yet":   {shown: "7", want: "7", wantConfirmed: true},
		"the cache shows it":               {shown: "7", cached: "7", want: "7", wantConfirmed: true, wantKnown: true},
		"the cache is ahead":               {shown: "7", cached: "10", want: "10", wantConfirmed: true},
		"it is gone":                       {shown: "7", gone: "uid"},
		"a former one of its name is gone": {shown: "7", gone: "former", want: "7", wantConfirmed: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			objects := &Objects[*corev1.Node]{}
			if test.shown != "" {
				objects.Show(object(test.shown))
			}
			if test.gone != "" {
				objects.Gone("a", test.gone)
			}
			cached := object(test.cached)
			if known := cached != nil && objects.Knows(cached); known != test.wantKnown {
				t.Errorf("known is %t, want %t", known, test.wantKnown)
			}
			got := objects.Newest("a", cached)
			if (got == nil) != (test.want == "") || got != nil && got.ResourceVersion != test.want {
				t.Errorf("got %+v, want version %q", got, test.want)
			}
			if got := objects.Confirmed("a"); got != test.wantConfirmed {
				t.Errorf("confirmed is %t, want %t", got, test.wantConfirmed)
			}
		})
	}
}

// What is in doubt is asked for again, and known all the same.
func TestDoubt(t *testing.T) {
	objects := &Objects[*corev1.Node]{}
	objects.Show(object("7"))
	objects.Doubt("a")
	if objects.Confirmed("a") || objects.Newest("a", object("5")).ResourceVersion != "7" || objects.Len() != 1 {
		t.Errorf("confirmed is %t, newest %+v", objects.Confirmed("a"), objects.Newest("a", object("5")))
	}
}

// An answer from before an object went, which comes late, is not taken for one that is there.
func TestLateAnswer(t *testing.T) {
	objects := &Objects[*corev1.Node]{}
	late := object("7")
	objects.Gone("a", late.UID)
	objects.Show(late)
	if objects.Len() != 0 || objects.Newest("a", nil) != nil {
		t.Errorf("newest %+v, want none", objects.Newest("a", nil))
	}
	late.UID = "another one of its name"
	objects.Show(late)
	if objects.Newest("a", nil) == nil {
		t.Error("the one that came after is not known")
	}
}
