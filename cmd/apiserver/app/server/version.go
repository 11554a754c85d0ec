// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"strconv"

	"k8s.io/apimachinery/pkg/util/version"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
	basecompatibility "k8s.io/component-base/compatibility"
)

// ownVersion is the major and minor version of this server, which /version and
// OpenAPI show.
const ownVersion = "0.1"

// effectiveVersion is the library's, but shows a major or minor version of 0 as
// "0". The library shows it as an empty string.
type effectiveVersion struct {
	basecompatibility.EffectiveVersion
}

// newEffectiveVersion returns a version that emulates no older one, and is
// compatible with no older one.
func newEffectiveVersion(v string) basecompatibility.EffectiveVersion {
	library := basecompatibility.NewEffectiveVersionFromString(v, v, v)
	library.SetMinCompatibilityVersion(library.BinaryVersion()) // else it would be the minor version before
	return effectiveVersion{library}
}

// Info is what /version shows.
func (v effectiveVersion) Info() *apimachineryversion.Info {
	info := v.EffectiveVersion.Info()
	info.Major, info.Minor = majorMinor(v.BinaryVersion())
	info.EmulationMajor, info.EmulationMinor = majorMinor(v.EmulationVersion())
	info.MinCompatibilityMajor, info.MinCompatibilityMinor = majorMinor(v.MinCompatibilityVersion())
	return info
}

func majorMinor(v *version.Version) (major, minor string) {
	return strconv.FormatUint(uint64(v.Major()), 10), strconv.FormatUint(uint64(v.Minor()), 10)
}
