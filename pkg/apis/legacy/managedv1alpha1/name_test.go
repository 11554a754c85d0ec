// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package managedv1alpha1_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
)

func TestEventNames(t *testing.T) {
	for event, want := range map[string]struct {
		namespace, name string
		is              bool
	}{
		"mm.ops.mm-worker-1":   {namespace: "ops", name: "mm-worker-1", is: true},
		"mm.ops.worker-1.west": {namespace: "ops", name: "worker-1.west", is: true},
		"mm.ops":               {},
		"mm.ops.":              {},
		"mm..worker-1":         {},
		"aws.i-1":              {},
		"mmm.ops.worker-1":     {},
		"":                     {},
	} {
		namespace, name, is := managedv1alpha1.SplitEventName(event)
		if namespace != want.namespace || name != want.name || is != want.is {
			t.Errorf("%q: got %q, %q, %t; want %+v", event, namespace, name, is, want)
		}
		if is && managedv1alpha1.EventName(namespace, name) != event {
			t.Errorf("%q: its parts are together %q", event, managedv1alpha1.EventName(namespace, name))
		}
	}
}

func TestOtherUID(t *testing.T) {
	for uid, want := range map[types.UID]types.UID{
		"":                                     "",
		"d9607e19-f88f-11e6-a518-0123456789ab": "d9607e19-f88f-11e6-a518-fedcba987654",
		"abc":                                  "543",
	} {
		other := managedv1alpha1.OtherUID(uid)
		if other != want {
			t.Errorf("%q: got %q, want %q", uid, other, want)
		}
		if back := managedv1alpha1.OtherUID(other); back != uid {
			t.Errorf("%q: the way back leads to %q", uid, back)
		}
	}
}
