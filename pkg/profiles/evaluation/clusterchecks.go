// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"github.com/blang/semver/v4"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// anyNode asks for a label of any node of the cluster.
type anyNode struct{ *v1beta1.KeyValueCheck }

func (c anyNode) needs() Needs { return Needs{AnyNode: c.KeyValueCheck} }

func (c anyNode) ask(q question) CheckResult {
	with := "label " + c.Key
	if c.Value != nil {
		with += "=" + quoted(*c.Value)
	}
	node, found := q.Cluster.AnyNode(c.Key, c.Value)
	if !found {
		return is(false, "no node has %s", with)
	}
	return is(true, "node %s has %s", node, with).with("node", node)
}

// nodeCount asks how many nodes the cluster has.
type nodeCount struct{ *v1beta1.NodeCountCheck }

func (c nodeCount) needs() Needs { return Needs{Nodes: c.Min} }

func (c nodeCount) ask(q question) CheckResult {
	nodes := q.Cluster.NodeCount()
	answer := is(nodes >= int(c.Min), "the cluster has %s, and must have at least %d", count(nodes, "node"), c.Min)
	return answer.with("current", nodes).with("expected", c.Min)
}

// ParseVersion returns the version that the value of a label is. Without a way to parse, it is Strict.
func ParseVersion(value string, parse v1beta1.VersionParse) (semver.Version, error) {
	if parse == v1beta1.VersionTolerant {
		return semver.ParseTolerant(value)
	}
	return semver.Parse(value)
}

// clusterVersion asks whether another node has a higher version.
type clusterVersion struct{ *v1beta1.ClusterVersionCheck }

func (c clusterVersion) needs() Needs {
	return Needs{Labels: []string{c.LabelKey}, Version: c.ClusterVersionCheck}
}

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

// podAffinity asks whether pods would move twice.
type podAffinity struct{ *v1beta1.PodAffinityCheck }

func (c podAffinity) needs() Needs { return Needs{Pods: true, Operational: c.MinOperational} }

func (c podAffinity) ask(q question) CheckResult {
	if state := q.state(); state != v1beta1.ProfileMaintenanceRequired {
		return failed("the check is only for the state MaintenanceRequired, and the state is %s", state)
	}
	if c.MinOperational > 0 {
		if nodes := len(q.Cluster.InState(q.Profile.Name, v1beta1.ProfileOperational)); nodes >= int(c.MinOperational) {
			return is(true, "the profile is Operational on %s, at least %d", count(nodes, "node"), c.MinOperational)
		}
	}
	own, known := q.Pods[q.nodeName()]
	switch {
	case !known:
		return unknown("the pods of the node are not known yet")
	case !own.Prefers:
		return is(true, "no pod of the node prefers nodes that are operational")
	}
	return c.others(q, own).with("pod", own.Pod)
}

// others says whether nodes without such pods are to go first.
func (c podAffinity) others(q question, own PodAffinity) CheckResult {
	missing := ""
	for _, other := range q.Cluster.InState(q.Profile.Name, v1beta1.ProfileMaintenanceRequired) {
		if other.Node == q.nodeName() {
			continue
		}
		pods, known := q.Pods[other.Node]
		switch {
		case !known:
			missing = other.Node
		case !pods.Prefers:
			return is(false, "pod %s would move twice: node %s goes first, since no pod there prefers nodes that are operational",
				own.Pod, other.Node).with("first", other.Node)
		}
	}
	if missing != "" {
		return unknown("the pods of node %s are not known yet", missing)
	}
	return is(true, "pods of all nodes that require maintenance prefer nodes that are operational")
}
