// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	baseversion "k8s.io/component-base/version"
)

// enableLibraryFeatures sets the libraries' feature gates to what they are in the
// Kubernetes release that the libraries belong to. The libraries take the version
// that was linked into the program, which is this project's own, for Kubernetes'
// and would turn off everything that is newer.
func enableLibraryFeatures() {
	release := version.MustParse(baseversion.DefaultKubeBinaryVersion)
	utilruntime.Must(utilfeature.DefaultMutableFeatureGate.SetEmulationVersionAndMinCompatibilityVersion(release, release))
}
