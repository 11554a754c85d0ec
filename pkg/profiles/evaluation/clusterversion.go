// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"github.com/blang/semver/v4"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// ParseVersion returns the version that the value of a label is. Without a way to parse, it is Strict.
func ParseVersion(value string, parse v1beta1.VersionParse) (semver.Version, error) {
	if parse == v1beta1.VersionTolerant {
		return semver.ParseTolerant(value)
	}
	return semver.Parse(value)
}

// clusterVersion asks whether another node has a higher version.
type clusterVersion struct{ *v1beta1.ClusterVersionCheck }

func (c clusterVersion) ask(q question) CheckResult {
	if q.Node == nil {
		return noNode(q)
	}
	value, found := q.Node.Labels[c.LabelKey]
	if !found {
		return failed("label %s is not set, so the version of the node is not known", c.LabelKey)
	}
	own, err := ParseVersion(value, c.Parse)
	if err != nil {
		return failed("label %s is %s, which is no version: %s", c.LabelKey, quoted(value), c.hint())
	}
	return c.compare(q, value, own)
}

// hint says what would be a version.
func (c clusterVersion) hint() string {
	if c.Parse == v1beta1.VersionTolerant {
		return "use one such as 1.2.3, v1.2.3 or 1.2"
	}
	return "use one such as 1.2.3; with parse Tolerant, also v1.2.3 and 1.2"
}

func (c clusterVersion) compare(q question, value string, own semver.Version) CheckResult {
	highest, node, found := q.Cluster.HighestVersion(c.LabelKey, c.Parse, c.profile(q))
	if !found {
		return is(false, "no other node has a version in label %s", c.LabelKey).with("own", value)
	}
	other, err := ParseVersion(highest, c.Parse)
	if err != nil || !own.LT(other) {
		return is(false, "%s is the highest version", quoted(value)).with("own", value)
	}
	answer := is(true, "%s is lower than %s of node %s", quoted(value), quoted(highest), node)
	return answer.with("own", value).with("highest", highest).with("node", node)
}

// profile is the profile whose nodes are compared; empty: all nodes are.
func (c clusterVersion) profile(q question) string {
	if c.Scope == v1beta1.VersionScopeProfile {
		return q.Profile.Name
	}
	return ""
}
