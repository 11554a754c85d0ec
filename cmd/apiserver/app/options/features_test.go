// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

func TestOwnVersionTurnsNoFeatureOff(t *testing.T) {
	own := version.MustParse("0.1")
	if err := utilfeature.DefaultMutableFeatureGate.SetEmulationVersionAndMinCompatibilityVersion(own, own); err != nil {
		t.Fatal(err)
	}
	New()
	if !utilfeature.DefaultFeatureGate.Enabled(features.WatchList) {
		t.Error("a feature that the libraries have on by default is off")
	}
}
