// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"github.com/blang/semver/v4"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// versions say which versions are compared: those in a label, of all nodes, or of those that a profile is on.
type versions struct {
	label   string
	parse   v1beta1.VersionParse
	profile string
}

func parseOf(parse v1beta1.VersionParse) v1beta1.VersionParse {
	if parse == "" {
		return v1beta1.VersionStrict
	}
	return parse
}

// versionIndex are the nodes by their version. Values that are no versions are not in it.
type versionIndex struct {
	parse  v1beta1.VersionParse
	values map[string]*versionNodes
	// highest is the value that is the highest version; empty if there is none. Of several that are equal, such as 1.2 and
	// 1.2.0, it is that of the first node by name.
	highest string
}

// versionNodes are the nodes with the same value.
type versionNodes struct {
	version semver.Version
	nodes   names
}

func newVersionIndex(parse v1beta1.VersionParse) *versionIndex {
	return &versionIndex{parse: parse, values: map[string]*versionNodes{}}
}

func (x *versionIndex) add(value, node string) {
	known := x.values[value]
	if known == nil {
		version, err := evaluation.ParseVersion(value, x.parse)
		if err != nil {
			return
		}
		known = &versionNodes{version: version}
		x.values[value] = known
	}
	known.nodes.add(node)
	x.findHighest()
}

func (x *versionIndex) remove(value, node string) {
	known := x.values[value]
	if known == nil {
		return
	}
	if known.nodes.remove(node); len(known.nodes) == 0 {
		delete(x.values, value)
	}
	x.findHighest()
}

// findHighest looks at each version once. A cluster has few.
func (x *versionIndex) findHighest() {
	x.highest = ""
	for value, known := range x.values {
		if x.highest == "" || known.above(x.values[x.highest]) {
			x.highest = value
		}
	}
}

func (n *versionNodes) above(other *versionNodes) bool {
	if order := n.version.Compare(other.version); order != 0 {
		return order > 0
	}
	return n.nodes[0] < other.nodes[0]
}

// isBelow says whether a value is a lower version than the highest one.
func isBelow(value, highest string, parse v1beta1.VersionParse) bool {
	own, ownErr := evaluation.ParseVersion(value, parse)
	other, otherErr := evaluation.ParseVersion(highest, parse)
	return ownErr == nil && otherErr == nil && own.LT(other)
}
