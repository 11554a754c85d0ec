// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceprofile

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Warnings says what is allowed in a profile but may not be meant, in one sentence each. others are all other profiles.
func Warnings(profile *v1beta1.MaintenanceProfile, others []v1beta1.MaintenanceProfile) []string {
	states := statesOf(&profile.Spec)
	return slices.Concat(
		unused(&profile.Spec, states), withoutWayOut(states), withoutLimit(&profile.Spec, states), heldWhileOperational(&profile.Spec),
		misplacedAffinity(&profile.Spec, states), unknownAliases(profile, others), unequalPools(profile, others))
}

// state is one of the states of a profile.
type state struct {
	name v1beta1.ProfileState
	path *field.Path
	spec *v1beta1.ProfileStateSpec
}

func statesOf(spec *v1beta1.MaintenanceProfileSpec) []state {
	path := field.NewPath("spec", "states")
	return []state{
		{v1beta1.ProfileOperational, path.Child("operational"), &spec.States.Operational},
		{v1beta1.ProfileMaintenanceRequired, path.Child("maintenanceRequired"), &spec.States.MaintenanceRequired},
		{v1beta1.ProfileInMaintenance, path.Child("inMaintenance"), &spec.States.InMaintenance},
	}
}

// unused are the instances that no state names: they do nothing.
func unused(spec *v1beta1.MaintenanceProfileSpec, states []state) []string {
	checks, triggers, notifiers := sets.New[string](), sets.New[string](), sets.New[string]()
	for _, s := range states {
		triggers.Insert(s.spec.Enter...)
		notifiers.Insert(s.spec.Notify...)
		for i := range s.spec.Transitions {
			checks.Insert(namesIn(spec, s.spec.Transitions[i].Check)...)
			triggers.Insert(s.spec.Transitions[i].Triggers...)
		}
	}
	var warnings []string
	note := func(list, name string, index int, used sets.Set[string], by string) {
		if !used.Has(name) {
			warnings = append(warnings, fmt.Sprintf("spec.%s[%d]: %q is not used: no %s names it", list, index, name, by))
		}
	}
	for i := range spec.Checks {
		note("checks", spec.Checks[i].Name, i, checks, "transition")
	}
	for i := range spec.Triggers {
		note("triggers", spec.Triggers[i].Name, i, triggers, "transition or enter")
	}
	for i := range spec.Notifiers {
		note("notifiers", spec.Notifiers[i].Name, i, notifiers, "notify")
	}
	return warnings
}

// withoutWayOut are the states that nodes come into and never leave, and those that none comes into.
func withoutWayOut(states []state) []string {
	reached := sets.New(v1beta1.ProfileOperational)
	for range states { // a way has as many steps at most
		for _, s := range states {
			for i := range s.spec.Transitions {
				if reached.Has(s.name) {
					reached.Insert(s.spec.Transitions[i].Next)
				}
			}
		}
	}
	var warnings []string
	for _, s := range states {
		switch out := len(s.spec.Transitions) > 0; {
		case reached.Has(s.name) && !out && s.name == v1beta1.ProfileOperational:
			warnings = append(warnings, fmt.Sprintf("%s.transitions: there are none, so no node ever comes into maintenance", s.path))
		case reached.Has(s.name) && !out:
			warnings = append(warnings, fmt.Sprintf("%s.transitions: there are none, so a node stays %s until somebody changes the profile", s.path, s.name))
		case !reached.Has(s.name) && out:
			warnings = append(warnings, fmt.Sprintf("%s: no transition leads there from Operational", s.path))
		}
	}
	return warnings
}

// withoutLimit are the transitions on which any number of nodes can go at once, without anybody who decides. stagger is
// no limit: nodes that are stuck in maintenance do not keep others from following them.
func withoutLimit(spec *v1beta1.MaintenanceProfileSpec, states []state) []string {
	limits := sets.New[string]()
	for i := range spec.Checks {
		if spec.Checks[i].MaxInMaintenance != nil || spec.Checks[i].Approval != nil {
			limits.Insert(spec.Checks[i].Name)
		}
	}
	var warnings []string
	for _, s := range states {
		for i := range s.spec.Transitions {
			transition := &s.spec.Transitions[i]
			if transition.Next == v1beta1.ProfileInMaintenance && !limits.HasAny(namesIn(spec, transition.Check)...) {
				warnings = append(warnings, fmt.Sprintf("%s.transitions[%d].check: all nodes can be in maintenance at the same time: "+
					"it names no check maxInMaintenance or approval", s.path, i))
			}
		}
	}
	return warnings
}

func heldWhileOperational(spec *v1beta1.MaintenanceProfileSpec) []string {
	if spec.States.Operational.Hold == nil {
		return nil
	}
	return []string{"spec.states.operational.hold: takes every node of the profile out of service while it needs no maintenance"}
}

// misplacedAffinity are the checks podAffinity that end in an error, since they are asked in another state.
func misplacedAffinity(spec *v1beta1.MaintenanceProfileSpec, states []state) []string {
	var warnings []string
	for _, s := range states {
		for i := range s.spec.Transitions {
			for _, name := range namesIn(spec, s.spec.Transitions[i].Check) {
				if check := checkNamed(spec, name); check != nil && check.PodAffinity != nil && s.name != v1beta1.ProfileMaintenanceRequired {
					warnings = append(warnings, fmt.Sprintf("%s.transitions[%d].check: %q is a podAffinity, which ends in an error in the state %s: "+
						"it is for maintenanceRequired", s.path, i, name, s.name))
				}
			}
		}
	}
	return warnings
}

func checkNamed(spec *v1beta1.MaintenanceProfileSpec, name string) *v1beta1.ProfileCheck {
	for i := range spec.Checks {
		if spec.Checks[i].Name == name {
			return &spec.Checks[i]
		}
	}
	return nil
}
