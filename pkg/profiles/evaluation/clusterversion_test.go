// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation_test

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestClusterVersion(t *testing.T) {
	strict := v1beta1.ProfileCheck{ClusterVersion: &v1beta1.ClusterVersionCheck{LabelKey: "v"}}
	tolerant := v1beta1.ProfileCheck{ClusterVersion: &v1beta1.ClusterVersionCheck{LabelKey: "v", Parse: v1beta1.VersionTolerant}}
	scoped := v1beta1.ProfileCheck{ClusterVersion: &v1beta1.ClusterVersionCheck{LabelKey: "v", Scope: v1beta1.VersionScopeProfile}}
	has := func(version string) map[string]string { return map[string]string{"v": version} }
	own := func(version string) change { return labelled(has(version)) }
	const use = "use one such as 1.2.3; with parse Tolerant, also v1.2.3 and 1.2"
	asked{
		"behind":                                {strict, []change{own("1.9.0"), other("w-2", has("1.10.0"))}, `True: "1.9.0" is lower than "1.10.0" of node w-2`},
		"ahead":                                 {strict, []change{own("1.10.0"), other("w-2", has("1.9.0"))}, `False: "1.10.0" is the highest version`},
		"equal":                                 {strict, []change{own("1.9.0"), other("w-2", has("1.9.0"))}, `False: "1.9.0" is the highest version`},
		"a candidate":                           {strict, []change{own("1.9.0-rc.1"), other("w-2", has("1.9.0"))}, `True: "1.9.0-rc.1" is lower than "1.9.0" of node w-2`},
		"a build is the same":                   {strict, []change{own("1.9.0+a"), other("w-2", has("1.9.0+b"))}, `False: "1.9.0+a" is the highest version`},
		"others without a version do not count": {strict, []change{own("1.9.0"), other("w-2", has("v2.0.0")), other("w-3", nil)}, `False: "1.9.0" is the highest version`},
		// The former controller compared with 0.1.0, so that a lone node was behind.
		"a lone node is not behind": {strict, []change{own("0.0.5")}, `False: "0.0.5" is the highest version`},
		"no version":                {strict, []change{other("w-2", has("1.9.0"))}, `Error: label v is not set, so the version of the node is not known`},
		"strict refuses v1.2.3":     {strict, []change{own("v1.2.3")}, `Error: label v is "v1.2.3", which is no version: ` + use},
		"strict refuses 1.2":        {strict, []change{own("1.2")}, `Error: label v is "1.2", which is no version: ` + use},
		"tolerant takes v1.2.3":     {tolerant, []change{own("v1.2.3"), other("w-2", has("v1.2.4"))}, `True: "v1.2.3" is lower than "v1.2.4" of node w-2`},
		"tolerant takes 1.2":        {tolerant, []change{own("1.2"), other("w-2", has("1.2.0"))}, `False: "1.2" is the highest version`},
		"tolerant takes zeros":      {tolerant, []change{own("1.02.3"), other("w-2", has("1.2.4"))}, `True: "1.02.3" is lower than "1.2.4" of node w-2`},
		"tolerant refuses words":    {tolerant, []change{own("x")}, `Error: label v is "x", which is no version: use one such as 1.2.3, v1.2.3 or 1.2`},
		"only nodes of the profile": {
			scoped,
			[]change{own("1.0.0"), other("w-2", has("2.0.0")), other("w-3", has("1.5.0")), carries("w-3", "p", v1beta1.ProfileOperational)},
			`True: "1.0.0" is lower than "1.5.0" of node w-3`,
		},
		"no other node of the profile": {scoped, []change{own("1.0.0"), other("w-2", has("2.0.0"))}, `False: "1.0.0" is the highest version`},
		"no node":                      {strict, []change{noNode}, `Error: node w-1 does not exist`},
	}.run(t)
}
