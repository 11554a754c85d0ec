// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storeapi

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestOneBadObject damages an envelope, as an admin may who acts as the server.
func TestOneBadObject(t *testing.T) {
	pool := env.Current(t).NewPool(t, 2)
	before := ""
	write := func(name, data string) {
		t.Helper()
		u, err := envelopes(t).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		u.Object["data"] = data
		if _, err := envelopes(t).Update(t.Context(), u, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	pool.WantSetAside(t, env.Current(t).Server, func(name string) {
		before = string(envelope(t, name).Data)
		write(name, "bits flipped")
	}, func(name string) { write(name, before) })
}
