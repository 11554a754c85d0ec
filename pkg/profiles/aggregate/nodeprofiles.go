// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// SetNodeProfile takes notice of a NodeProfile as it is now. It returns the names of the NodeProfiles that must be evaluated
// again, sorted: itself, if its state or what people have decided has changed; the others of the node, if it has entered
// maintenance or left it; and those whose answer about the cluster is another one now.
func (a *Aggregate) SetNodeProfile(np *v1beta1.NodeProfile) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.profile(np.Spec.Profile)
	before := p.members[np.Spec.NodeName]
	p.members[np.Spec.NodeName] = np
	if before != nil && !decidesAnew(before, np) {
		return nil
	}
	a.move(p, before, np)
	woken := append(a.siblings(before, np), np.Name)
	return distinct(append(woken, a.flipped(a.flips())...))
}

// DeleteNodeProfile takes notice of a NodeProfile that is gone. It returns the names of the NodeProfiles that must be
// evaluated again, sorted.
func (a *Aggregate) DeleteNodeProfile(np *v1beta1.NodeProfile) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.profiles[np.Spec.Profile]
	if p == nil || p.members[np.Spec.NodeName] == nil {
		return nil
	}
	before := p.members[np.Spec.NodeName]
	a.move(p, before, nil)
	delete(p.members, np.Spec.NodeName)
	woken := append(a.siblings(before, nil), a.flipped(a.flips())...)
	a.dropIfEmpty(np.Spec.Profile)
	return distinct(woken)
}

// decidesAnew says whether two versions of a NodeProfile differ in something that an evaluation depends on.
func decidesAnew(before, after *v1beta1.NodeProfile) bool {
	was, is := &before.Status, &after.Status
	return before.UID != after.UID || was.State != is.State || was.Sequence != is.Sequence || was.Attempt != is.Attempt ||
		!was.Since.Equal(is.Since) || (was.Transition == nil) != (is.Transition == nil) ||
		!equality.Semantic.DeepEqual(was.Decisions, is.Decisions)
}

// move has the lists of nodes by state, and the versions that are compared, follow a NodeProfile; before or after is nil if
// it did not, or does not exist.
func (a *Aggregate) move(p *profile, before, after *v1beta1.NodeProfile) {
	switch {
	case before == nil:
		a.compare(after, true)
	case after == nil:
		a.compare(before, false)
	}
	if before != nil {
		p.leave(stateOf(before), before.Spec.NodeName)
	}
	if after != nil {
		p.enter(stateOf(after), memberOf(after))
	}
}

// compare has the version of a node count for a profile, or count no more.
func (a *Aggregate) compare(np *v1beta1.NodeProfile, counts bool) {
	for v, index := range a.versions {
		value, found := labelOf(a.nodes[np.Spec.NodeName], v.label)
		switch {
		case v.profile != np.Spec.Profile || !found:
		case counts:
			index.add(value, np.Spec.NodeName)
		default:
			index.remove(value, np.Spec.NodeName)
		}
	}
}

// siblings are the other NodeProfiles of the node, if it has entered maintenance or left it.
func (a *Aggregate) siblings(before, after *v1beta1.NodeProfile) []string {
	if isInMaintenance(before) == isInMaintenance(after) {
		return nil
	}
	changed := before
	if changed == nil {
		changed = after
	}
	var woken []string
	for name, p := range a.profiles {
		if np := p.members[changed.Spec.NodeName]; np != nil && name != changed.Spec.Profile {
			woken = append(woken, np.Name)
		}
	}
	return woken
}

func isInMaintenance(np *v1beta1.NodeProfile) bool {
	return np != nil && stateOf(np) == v1beta1.ProfileInMaintenance
}

// stateOf is the state of a NodeProfile. One whose status was not written yet is Operational.
func stateOf(np *v1beta1.NodeProfile) v1beta1.ProfileState {
	if np.Status.State == "" {
		return v1beta1.ProfileOperational
	}
	return np.Status.State
}

func memberOf(np *v1beta1.NodeProfile) evaluation.Member {
	m := evaluation.Member{Node: np.Spec.NodeName}
	if np.Status.Since != nil {
		m.Since = np.Status.Since.Time
	}
	return m
}

func (p *profile) enter(state v1beta1.ProfileState, m evaluation.Member) {
	at, _ := p.find(state, m.Node)
	p.inState[state] = slices.Insert(p.inState[state], at, m)
}

func (p *profile) leave(state v1beta1.ProfileState, node string) {
	if at, found := p.find(state, node); found {
		p.inState[state] = slices.Delete(p.inState[state], at, at+1)
	}
}

func (p *profile) find(state v1beta1.ProfileState, node string) (at int, found bool) {
	return slices.BinarySearchFunc(p.inState[state], node, func(m evaluation.Member, name string) int {
		return strings.Compare(m.Node, name)
	})
}
