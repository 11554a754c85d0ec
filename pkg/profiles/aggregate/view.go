// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// view is the aggregate while it does not change.
type view struct{ *Aggregate }

// NodeCount returns how many nodes there are.
func (v view) NodeCount() int { return len(v.nodes) }

// AnyNode returns the first node by name that has a label. A label that no profile asks for is not known.
func (v view) AnyNode(key string, value *string) (node string, ok bool) {
	if index := v.labels[key]; index != nil {
		return index.first(value)
	}
	return "", false
}

// HighestVersion returns the highest version of a label, and the first node by name that has it. A label that no profile
// asks for is not known.
func (v view) HighestVersion(labelKey string, parse v1beta1.VersionParse, profile string) (version, node string, ok bool) {
	index := v.versions[versions{label: labelKey, parse: parseOf(parse), profile: profile}]
	if index == nil || index.highest == "" {
		return "", "", false
	}
	return index.highest, index.values[index.highest].nodes[0], true
}

// Labels returns the labels of a node.
func (v view) Labels(node string) (labels map[string]string, ok bool) {
	known, found := v.nodes[node]
	if !found {
		return nil, false
	}
	return known.Labels, true
}

// Carries says whether a profile, by its alias, is on a node.
func (v view) Carries(node, alias string) bool {
	p := v.profiles[v.aliases[alias]]
	if p == nil {
		return false
	}
	_, carries := p.members[node]
	return carries
}

// InState returns the nodes on which a profile is in a state, sorted by name.
func (v view) InState(profile string, state v1beta1.ProfileState) []evaluation.Member {
	if p := v.profiles[profile]; p != nil {
		return p.inState[state]
	}
	return nil
}

// live is the aggregate as it is when it is asked. It implements evaluation.Cluster.
type live struct{ of *Aggregate }

var _ evaluation.Cluster = live{}

// NodeCount implements evaluation.Cluster.
func (l live) NodeCount() int {
	l.of.mu.RLock()
	defer l.of.mu.RUnlock()
	return view{l.of}.NodeCount()
}

// AnyNode implements evaluation.Cluster.
func (l live) AnyNode(key string, value *string) (node string, ok bool) {
	l.of.mu.RLock()
	defer l.of.mu.RUnlock()
	return view{l.of}.AnyNode(key, value)
}

// HighestVersion implements evaluation.Cluster.
func (l live) HighestVersion(labelKey string, parse v1beta1.VersionParse, profile string) (version, node string, ok bool) {
	l.of.mu.RLock()
	defer l.of.mu.RUnlock()
	return view{l.of}.HighestVersion(labelKey, parse, profile)
}

// Labels implements evaluation.Cluster. The labels of a node do not change: a change is another node.
func (l live) Labels(node string) (labels map[string]string, ok bool) {
	l.of.mu.RLock()
	defer l.of.mu.RUnlock()
	return view{l.of}.Labels(node)
}

// Carries implements evaluation.Cluster.
func (l live) Carries(node, alias string) bool {
	l.of.mu.RLock()
	defer l.of.mu.RUnlock()
	return view{l.of}.Carries(node, alias)
}

// InState implements evaluation.Cluster.
func (l live) InState(profile string, state v1beta1.ProfileState) []evaluation.Member {
	l.of.mu.RLock()
	defer l.of.mu.RUnlock()
	return slices.Clone(view{l.of}.InState(profile, state))
}

// Required returns the names of the nodes on which a profile is MaintenanceRequired, sorted.
func (a *Aggregate) Required(profile string) []string {
	a.mu.RLock()
	defer a.mu.RUnlock()
	var required []string
	for _, m := range (view{a}).InState(profile, v1beta1.ProfileMaintenanceRequired) {
		required = append(required, m.Node)
	}
	return required
}
