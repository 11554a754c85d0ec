// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
)

// SetNode takes notice of a node as it is now. It returns the names of the NodeProfiles that must be evaluated again,
// sorted.
func (a *Aggregate) SetNode(node *corev1.Node) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.nodes[node.Name]
	a.nodes[node.Name] = node
	return a.replace(node.Name, before, node)
}

// DeleteNode takes notice of a node that is gone. It returns the names of the NodeProfiles that must be evaluated again,
// sorted.
func (a *Aggregate) DeleteNode(name string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.nodes[name]
	if before == nil {
		return nil
	}
	delete(a.nodes, name)
	return a.replace(name, before, nil)
}

// replace follows the change of a node; before or after is nil if it did not, or does not exist.
func (a *Aggregate) replace(name string, before, after *corev1.Node) []string {
	woken := a.own(name, before, after)
	if a.reindex(name, before, after) || before == nil || after == nil {
		woken = append(woken, a.flipped(a.flips())...)
	}
	return distinct(woken)
}

// own returns the NodeProfiles of a node of which a check may now say something else of the node itself.
func (a *Aggregate) own(name string, before, after *corev1.Node) []string {
	isNew := before == nil || after == nil || before.UID != after.UID
	expressions := sync.OnceValue(func() bool { return expressionsDiffer(before, after) })
	var woken []string
	for _, p := range a.profiles {
		np := p.members[name]
		if np == nil {
			continue
		}
		if needs := p.needs[stateOf(np)]; isNew || needs != nil && needs.differ(before, after, expressions) {
			woken = append(woken, np.Name)
		}
	}
	return woken
}

// reindex brings the indexes up to date. It says whether one has changed.
func (a *Aggregate) reindex(name string, before, after *corev1.Node) bool {
	changed := false
	for key, index := range a.labels {
		changed = move(index, key, name, before, after) || changed
	}
	for v, index := range a.versions {
		if a.compares(v, name) {
			changed = move(index, v.label, name, before, after) || changed
		}
	}
	return changed
}

// compares says whether a node is one of those whose versions are compared.
func (a *Aggregate) compares(v versions, node string) bool {
	if v.profile == "" {
		return true
	}
	p := a.profiles[v.profile]
	return p != nil && p.members[node] != nil
}

// valueIndex is an index of nodes by the value of a label.
type valueIndex interface {
	add(value, node string)
	remove(value, node string)
}

// move has a node follow its label. It says whether that has changed.
func move(x valueIndex, key, name string, before, after *corev1.Node) bool {
	was, had := labelOf(before, key)
	is, has := labelOf(after, key)
	if was == is && had == has {
		return false
	}
	if had {
		x.remove(was, name)
	}
	if has {
		x.add(is, name)
	}
	return true
}

func labelOf(node *corev1.Node, key string) (value string, found bool) {
	if node == nil {
		return "", false
	}
	value, found = node.Labels[key]
	return value, found
}

// distinct sorts names, and has each once.
func distinct(woken []string) []string {
	slices.Sort(woken)
	return slices.Compact(woken)
}
