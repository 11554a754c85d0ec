// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/hold"
)

// HoldForState notes which hold the state asks for, before it is created or deleted. What a trigger has asked for stays,
// unless the node is Operational. The profile is nil if it does not exist any more.
func HoldForState(nodeProfile *v1beta1.NodeProfile, profile *v1beta1.MaintenanceProfile) {
	status := &nodeProfile.Status
	var wanted *v1beta1.ProfileHold
	if profile != nil {
		if state := StateSpec(profile, status.State); state != nil {
			wanted = state.Hold
		}
	}
	switch {
	case wanted != nil:
		asked := holdOf(nodeProfile)
		asked.Source, asked.Stage, asked.Drain = v1beta1.HoldByState, StageOf(wanted.Stage), wanted.DeepCopy().Drain
	case status.Hold == nil:
	case status.Hold.Source == v1beta1.HoldByState || status.State == v1beta1.ProfileOperational:
		GiveBack(status)
	}
}

// GiveBack notes that the hold is to be deleted, if there is one.
func GiveBack(status *v1beta1.NodeProfileStatus) {
	if status.Hold != nil {
		status.Hold.Stage = v1beta1.StageIdle
	}
}

// holdNow is the hold as it is asked for; nil if there is none, or if it is being given back.
func holdNow(status *v1beta1.NodeProfileStatus) *v1beta1.NodeProfileHold {
	if status.Hold == nil || status.Hold.Stage == v1beta1.StageIdle {
		return nil
	}
	asked := status.Hold.DeepCopy()
	asked.UID, asked.Reached, asked.Message = "", "", ""
	return asked
}

// restoreHold asks for the hold as it was.
func restoreHold(status *v1beta1.NodeProfileStatus, before *v1beta1.NodeProfileHold) {
	switch {
	case before == nil:
		GiveBack(status)
	case status.Hold == nil:
		status.Hold = before.DeepCopy()
	default:
		status.Hold.Source, status.Hold.Stage, status.Hold.Drain = before.Source, before.Stage, *before.Drain.DeepCopy()
	}
}

// HoldForStep notes which hold a step asks for, before it begins. A step never lowers the stage.
func HoldForStep(nodeProfile *v1beta1.NodeProfile, trigger *v1beta1.ProfileTrigger) {
	switch {
	case trigger.Release != nil:
		GiveBack(&nodeProfile.Status)
	case trigger.Hold != nil:
		asked, stage := holdOf(nodeProfile), StageOf(trigger.Hold.Stage)
		asked.Source = v1beta1.HoldByTrigger
		if stage == v1beta1.StageDrain || asked.Stage != v1beta1.StageDrain {
			asked.Stage = stage
		}
		if trigger.Hold.Drain != nil {
			asked.Drain = *trigger.Hold.Drain.DeepCopy()
		}
	}
}

func holdOf(nodeProfile *v1beta1.NodeProfile) *v1beta1.NodeProfileHold {
	if nodeProfile.Status.Hold == nil {
		nodeProfile.Status.Hold = &v1beta1.NodeProfileHold{Name: hold.Name(nodeProfile)}
	}
	return nodeProfile.Status.Hold
}

// StageOf is the stage of a hold, which is Drain if it does not say.
func StageOf(stage v1beta1.MaintenanceStage) v1beta1.MaintenanceStage {
	if stage == "" {
		return v1beta1.StageDrain
	}
	return stage
}
