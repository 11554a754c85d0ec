// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

// Compiled is a profile whose checks and chains are made ready. It does not change, so many may use it at the same time.
type Compiled struct {
	// checks are all checks, by name.
	checks map[string]check
	states map[v1beta1.ProfileState]*state
}

// state is what a profile does in a state, as far as it matters for transitions.
type state struct {
	transitions []transition
	// checks are the names of the checks that transitions name, in the order of the profile.
	checks []string
	// hold is how far the hold must be before the state is left; empty without a hold.
	hold v1beta1.MaintenanceStage
}

// transition is a way out of a state. Either chain or err is set.
type transition struct {
	*v1beta1.ProfileTransition
	chain *expression.Chain
	err   error
}

// Compile makes a profile ready to be evaluated. Keep the result for as long as the spec stays the same: see Cache.
// Expressions are compiled when they are first evaluated, which takes up to some milliseconds. What is wrong with a check
// or a chain becomes an Error of that check, or of that transition, alone.
func Compile(profile *v1beta1.MaintenanceProfile) *Compiled {
	c := &Compiled{checks: map[string]check{}, states: newStates(&profile.Spec)}
	for i := range profile.Spec.Checks {
		spec := &profile.Spec.Checks[i]
		_, c.checks[spec.Name] = kindOf(spec)
	}
	return c
}

func newStates(spec *v1beta1.MaintenanceProfileSpec) map[v1beta1.ProfileState]*state {
	names := make([]string, len(spec.Checks))
	for i := range spec.Checks {
		names[i] = spec.Checks[i].Name
	}
	return map[v1beta1.ProfileState]*state{
		v1beta1.ProfileOperational:         newState(&spec.States.Operational, names),
		v1beta1.ProfileMaintenanceRequired: newState(&spec.States.MaintenanceRequired, names),
		v1beta1.ProfileInMaintenance:       newState(&spec.States.InMaintenance, names),
	}
}

func newState(spec *v1beta1.ProfileStateSpec, names []string) *state {
	s := &state{hold: holdStage(spec.Hold)}
	asked := map[string]bool{}
	for i := range spec.Transitions {
		t := transition{ProfileTransition: &spec.Transitions[i]}
		if t.chain, t.err = expression.Parse(t.Check, names); t.err == nil {
			for _, name := range t.chain.Names() {
				asked[name] = true
			}
		}
		s.transitions = append(s.transitions, t)
	}
	s.checks = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !asked[name] })
	return s
}

func holdStage(hold *v1beta1.ProfileHold) v1beta1.MaintenanceStage {
	switch {
	case hold == nil:
		return ""
	case hold.Stage == "":
		return v1beta1.StageDrain
	}
	return hold.Stage
}

// Asked returns the names of the checks that transitions out of each state name, in the order of the profile. It compiles
// no check, which takes far more time and memory than the chains.
func Asked(profile *v1beta1.MaintenanceProfile) map[v1beta1.ProfileState][]string {
	asked := map[v1beta1.ProfileState][]string{}
	for name, s := range newStates(&profile.Spec) {
		asked[name] = s.checks
	}
	return asked
}
