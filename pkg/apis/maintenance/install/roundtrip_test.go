// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/apitesting/roundtrip"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/fuzzer"
)

// Every type keeps every value on its way through every served version and back.
func TestRoundTrip(t *testing.T) {
	roundtrip.RoundTripTestForAPIGroup(t, Install, fuzzer.Funcs)
}
