// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"maps"
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// profile is a profile and the nodes that it is on. Its NodeProfiles may be known before it, and after it is gone.
type profile struct {
	object *v1beta1.MaintenanceProfile
	// needs are what its checks depend on, by state.
	needs map[v1beta1.ProfileState]*needs
	// members are its NodeProfiles, by node.
	members map[string]*v1beta1.NodeProfile
	// inState are the nodes in each state, sorted by name.
	inState map[v1beta1.ProfileState][]evaluation.Member
}

// states are all states that this version knows.
var states = []v1beta1.ProfileState{
	v1beta1.ProfileOperational, v1beta1.ProfileMaintenanceRequired, v1beta1.ProfileInMaintenance,
}

// SetProfile takes notice of a profile as it is now. It returns the names of the NodeProfiles that must be evaluated again,
// sorted: all of them, if its spec has changed.
func (a *Aggregate) SetProfile(object *v1beta1.MaintenanceProfile) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.profile(object.Name)
	before := p.object
	p.object = object
	if before != nil && before.UID == object.UID && before.Generation == object.Generation {
		return nil
	}
	p.needs = map[v1beta1.ProfileState]*needs{}
	named := evaluation.Asked(object)
	for _, state := range states {
		p.needs[state] = newNeeds(object, named[state])
	}
	a.asked()
	return p.all()
}

// DeleteProfile takes notice of a profile that is gone.
func (a *Aggregate) DeleteProfile(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.profiles[name]; p != nil {
		p.object, p.needs = nil, nil
		a.dropIfEmpty(name)
		a.asked()
	}
}

// profile returns what is known of a profile, from now on.
func (a *Aggregate) profile(name string) *profile {
	p := a.profiles[name]
	if p == nil {
		p = &profile{members: map[string]*v1beta1.NodeProfile{}, inState: map[v1beta1.ProfileState][]evaluation.Member{}}
		a.profiles[name] = p
	}
	return p
}

func (a *Aggregate) dropIfEmpty(name string) {
	if p := a.profiles[name]; p.object == nil && len(p.members) == 0 {
		delete(a.profiles, name)
	}
}

// all returns the names of its NodeProfiles, sorted.
func (p *profile) all() []string {
	var all []string
	for np := range maps.Values(p.members) {
		all = append(all, np.Name)
	}
	slices.Sort(all)
	return all
}

// asked finds out anew what profiles ask, after one of them has changed.
func (a *Aggregate) asked() {
	a.aliases, a.answers = map[string]string{}, map[question]string{}
	for name, p := range a.profiles {
		if p.object == nil {
			continue
		}
		a.aliases[p.object.AliasOrName()] = name
		for _, asked := range p.needs {
			for _, q := range asked.questions {
				a.answers[q] = ""
			}
		}
	}
	a.index()
	for q := range a.answers {
		a.answers[q] = a.ask(q)
	}
}
