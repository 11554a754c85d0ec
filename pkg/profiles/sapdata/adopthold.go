// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapdata

import "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"

// heldBy returns how far a profile has taken a node out of service that is in the state: by the hold of the state, by what
// the state does when it is entered, and by the triggers of all transitions that lead there. Which of them was taken is
// not known, so that the one counts that has gone furthest.
func heldBy(spec *v1beta1.MaintenanceProfileSpec, state v1beta1.ProfileState) v1beta1.MaintenanceStage {
	entered := specOf(spec, state)
	if entered.Hold != nil {
		return entered.Hold.Stage
	}
	before := v1beta1.StageIdle
	for _, from := range []v1beta1.ProfileState{v1beta1.ProfileOperational, v1beta1.ProfileMaintenanceRequired, v1beta1.ProfileInMaintenance} {
		for _, transition := range specOf(spec, from).Transitions {
			if transition.Next == state {
				before = further(before, after(spec, transition.Triggers, v1beta1.StageIdle))
			}
		}
	}
	return after(spec, entered.Enter, before)
}

// leavesHolding returns a transition out of the state whose triggers take the node out of service; empty: there is none. The
// controller cordons before it has entered the next state, so it may have begun that. Out of Operational it is rather
// a person who has.
func leavesHolding(spec *v1beta1.MaintenanceProfileSpec, state v1beta1.ProfileState) (transition string) {
	if state == v1beta1.ProfileOperational {
		return ""
	}
	for _, leaving := range specOf(spec, state).Transitions {
		if after(spec, leaving.Triggers, v1beta1.StageIdle) != v1beta1.StageIdle {
			return leaving.Name
		}
	}
	return ""
}

func specOf(spec *v1beta1.MaintenanceProfileSpec, state v1beta1.ProfileState) *v1beta1.ProfileStateSpec {
	switch state {
	case v1beta1.ProfileInMaintenance:
		return &spec.States.InMaintenance
	case v1beta1.ProfileMaintenanceRequired:
		return &spec.States.MaintenanceRequired
	default:
		return &spec.States.Operational
	}
}

// after is how far a node is out of service after some triggers.
func after(spec *v1beta1.MaintenanceProfileSpec, triggers []string, stage v1beta1.MaintenanceStage) v1beta1.MaintenanceStage {
	for _, name := range triggers {
		for i := range spec.Triggers {
			switch trigger := &spec.Triggers[i]; {
			case trigger.Name != name:
			case trigger.Release != nil:
				stage = v1beta1.StageIdle
			case trigger.Hold != nil:
				stage = further(stage, asked(trigger.Hold))
			}
		}
	}
	return stage
}

func asked(hold *v1beta1.HoldTrigger) v1beta1.MaintenanceStage {
	if hold.Stage == "" {
		return v1beta1.StageDrain
	}
	return hold.Stage
}

func further(a, b v1beta1.MaintenanceStage) v1beta1.MaintenanceStage {
	order := map[v1beta1.MaintenanceStage]int{v1beta1.StageCordon: 1, v1beta1.StageDrain: 2}
	if order[b] > order[a] {
		return b
	}
	return a
}
