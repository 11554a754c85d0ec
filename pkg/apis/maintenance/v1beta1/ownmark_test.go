// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import "testing"

func TestIsOwnMark(t *testing.T) {
	for key, want := range map[string]bool{
		HoldsAnnotation:             true,
		PlannedTaint:                true,
		DrainTaint:                  true,
		ExcludeFromRemediationLabel: true,
		StateLabel:                  true,
		GroupName:                   true,
		"x." + GroupName + "/y":     true,
		"x" + GroupName + "/y":      false,
		"example.com/" + GroupName:  false,
		DefaultProfileLabel:         false,
		"role":                      false,
		"":                          false,
	} {
		if got := IsOwnMark(key); got != want {
			t.Errorf("%q: %t, want %t", key, got, want)
		}
	}
}
