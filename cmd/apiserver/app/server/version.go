// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"strconv"

	"k8s.io/apimachinery/pkg/util/version"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
	basecompatibility "k8s.io/component-base/compatibility"
)

// effectiveVersion is the library's, but knows which build of this server runs. And it shows a major or minor version of
// 0 as "0". The library shows it as an empty string.
type effectiveVersion struct {
	basecompatibility.EffectiveVersion
	build apimachineryversion.Info
}

// newEffectiveVersion returns the version of a build. It emulates no older one, and is compatible with no older one.
func newEffectiveVersion(build apimachineryversion.Info) basecompatibility.EffectiveVersion {
	full := version.MustParseSemantic(build.GitVersion)
	v := version.MajorMinor(full.Major(), full.Minor())
	library := basecompatibility.NewEffectiveVersion(v, false, v, v)
	library.SetMinCompatibilityVersion(v) // else it would be the minor version before
	return effectiveVersion{EffectiveVersion: library, build: build}
}

// Info is what /version shows.
func (v effectiveVersion) Info() *apimachineryversion.Info {
	info := v.build
	info.Major, info.Minor = majorMinor(v.BinaryVersion())
	info.EmulationMajor, info.EmulationMinor = majorMinor(v.EmulationVersion())
	info.MinCompatibilityMajor, info.MinCompatibilityMinor = majorMinor(v.MinCompatibilityVersion())
	return &info
}

func majorMinor(v *version.Version) (major, minor string) {
	return strconv.FormatUint(uint64(v.Major()), 10), strconv.FormatUint(uint64(v.Minor()), 10)
}
