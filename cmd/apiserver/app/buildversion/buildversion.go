// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package buildversion says which version of the server runs.
package buildversion

import (
	"runtime/debug"
	"strconv"
	"strings"

	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apimachinery/pkg/version"
	baseversion "k8s.io/component-base/version"
)

// unknown is the version of a build of which nothing is known, such as that of a test.
const unknown = "v0.0.0-unknown"

// Get returns the version that the linker has written into the program, as hack/version.sh tells it to. A program
// that was built in another way, such as with go install, has the version and the commit that the go command knows.
// GitVersion is always a semantic version.
func Get() version.Info {
	info := baseversion.Get()
	if isVersion(info.GitVersion) {
		return info
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		build = &debug.BuildInfo{}
	}
	return ofGo(info, build)
}

// isVersion says whether s is a semantic version. What stands in the library unless the linker replaces it is none.
func isVersion(s string) bool {
	_, err := utilversion.ParseSemantic(s)
	return err == nil && strings.HasPrefix(s, "v")
}

// ofGo returns info with what the go command has noted of the build in the place of the library's placeholders.
func ofGo(info version.Info, build *debug.BuildInfo) version.Info {
	info.GitVersion, info.GitCommit = unknown, ""
	if isVersion(build.Main.Version) {
		info.GitVersion = build.Main.Version
	}
	parsed := utilversion.MustParseSemantic(info.GitVersion)
	info.Major, info.Minor = itoa(parsed.Major()), itoa(parsed.Minor())
	for _, setting := range build.Settings {
		switch setting.Key {
		case "vcs.revision":
			info.GitCommit = setting.Value
		case "vcs.time":
			info.BuildDate = setting.Value
		case "vcs.modified":
			info.GitTreeState = treeState(setting.Value)
		}
	}
	return info
}

func itoa(n uint) string {
	return strconv.FormatUint(uint64(n), 10)
}

func treeState(modified string) string {
	if modified == "true" {
		return "dirty"
	}
	return "clean"
}
