// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/controlplane"
)

// step is the next step of the replacement; empty: it has not begun.
func (s *state) step() v1beta1.ReplacementStep {
	if s.next.Replacement == nil {
		return ""
	}
	return s.next.Replacement.Step
}

// gaveUp says that the replacement failed, or is being withdrawn.
func (s *state) gaveUp() bool {
	return s.step() == v1beta1.StepUndo || s.step() == v1beta1.StepGivenUp
}

// replaces says that the machine is to be replaced, and that it can be.
func (s *state) replaces() bool {
	return s.asksForMachine() && s.Machine.Known && s.Machine.Replaceable
}

// takesMachine says that the machine is being replaced, or is to be.
func (s *state) takesMachine() bool {
	return s.step() != "" && !s.gaveUp() || s.replaces() || s.undecided()
}

// undecided says that it is not known yet whether the machine can be replaced.
func (s *state) undecided() bool { return s.asksForMachine() && !s.Machine.Known }

func (s *state) asksForMachine() bool {
	return s.next.Action == v1beta1.EventActionReplace && s.MachineAPI && !s.gaveUp() && s.twin() == ""
}

// stage is how far the hold goes. While a machine is being added, the old node is only cordoned. Once the drain has to
// start, it does so without the new one.
func (s *state) stage(replaces bool) v1beta1.MaintenanceStage {
	adds := replaces && s.adds()
	switch s.step() {
	case "":
	case v1beta1.StepSurge, v1beta1.StepAwaitNewNode:
		adds = s.next.Replacement.Strategy == v1beta1.SurgeFirst
	default:
		adds = false
	}
	if adds && !s.due() {
		s.again(s.drainLatest())
		return v1beta1.StageCordon
	}
	return v1beta1.StageDrain
}

// adds says that a machine is to be added before the old one goes. Those of the control plane are replaced after that.
func (s *state) adds() bool {
	return s.Machine.Strategy == v1beta1.SurgeFirst && !controlplane.Member(s.Found.Node)
}

// drainLatest is the time when the drain itself has to start, whether or not a machine is added before; zero: not known.
func (s *state) drainLatest() time.Time {
	by := EmptyBy(&s.Event.Spec)
	if by.IsZero() {
		return by
	}
	takes := unknownPlan
	if s.next.ExpectedDrainSeconds != nil {
		takes = time.Duration(*s.next.ExpectedDrainSeconds) * time.Second
	}
	return by.Add(-takes - margin)
}

// due says that the drain has to start by now.
func (s *state) due() bool {
	latest := s.drainLatest()
	return !latest.IsZero() && !s.Now.Before(latest)
}

// blockReplace says what a person has to do about a machine that nothing replaces.
func (s *state) blockReplace() {
	switch {
	case s.next.Action != v1beta1.EventActionReplace, s.twin() != "":
	case s.gaveUp():
		drains := s.next.DrainStartTime != nil && !s.backBefore()
		s.block(ReasonReplacementFailed, replacementFailed(s.next.NodeName, s.next.Replacement, s.drainLatest(), drains, waitsFor(s.Policies)))
	case !s.MachineAPI || s.Machine.Known && !s.Machine.Replaceable:
		s.block(ReasonNoOwner, noOwner(s.next.NodeName, s.machine(), s.next.DrainStartTime != nil))
	}
}

// needMachines says what to do if a replacement has begun, and the server is not to touch machines any more.
func (s *state) needMachines() {
	if !s.MachineAPI {
		s.block(ReasonReplacementFailed, machinesOff(s.next.Replacement))
	}
}

// machine is what is wrong with the machine, for a sentence.
func (s *state) machine() string {
	switch {
	case !s.MachineAPI:
		return noMachineAPI
	case s.Machine.Name == "":
		return noMachine(s.next.NodeName, s.Machine.Why)
	default:
		return notReplaceable(s.Machine)
	}
}
