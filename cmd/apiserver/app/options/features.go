// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	baseversion "k8s.io/component-base/version"
)

// enableLibraryFeatures sets the libraries' feature gates to the defaults of the Kubernetes
// release that the libraries belong to. The libraries would otherwise take this project's
// version, which is linked into the program, for the Kubernetes version, and turn off all
// newer features.
func enableLibraryFeatures() {
	release := version.MustParse(baseversion.DefaultKubeBinaryVersion)
	utilruntime.Must(utilfeature.DefaultMutableFeatureGate.SetEmulationVersionAndMinCompatibilityVersion(release, release))
}
