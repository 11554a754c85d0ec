// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replacement

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Owner is what replaces a machine.
type Owner struct {
	// Object names it. The machine's controller, or the MachineDeployment that controls its MachineSet.
	Object v1beta1.ReplacedObject
	// ControlPlane says that it is a controller of control planes. Those replace a machine after its delete, one at a time.
	ControlPlane bool
	// NoSurge is why no machine can be added to it, as the end of a sentence. Empty if one can.
	NoSurge string
}

// Wish is what a replacement begins with.
type Wish struct {
	// Machine is the machine that is to be replaced.
	Machine v1beta1.ReplacedObject
	// Owner is what replaces it. Nil if nothing does.
	Owner *Owner
	// OwnerKind is the kind of the machine's controller if that is none that is known to replace machines.
	OwnerKind string
	// ControlPlaneNode says that the node belongs to the control plane.
	ControlPlaneNode bool
	// Strategy is what the policy says. Empty for the default.
	Strategy v1beta1.ReplacementStrategy
}

// Reason is why a person has to do something: the reason of the condition Blocked.
type Reason string

const (
	// ReasonNoOwner means that nothing replaces the machine. Its node is only drained.
	ReasonNoOwner Reason = "NoOwner"
	// ReasonControlPlaneNotReplaced means that the machine is one of the control plane, and that no controller of
	// control planes replaces it. Nothing is done.
	ReasonControlPlaneNotReplaced Reason = "ControlPlaneNotReplaced"
	// ReasonReplacementFailed means that the replacement was given up.
	ReasonReplacementFailed Reason = "ReplacementFailed"
	// ReasonReplacementMissing means that the old machine is gone, and that no new one has come in time.
	ReasonReplacementMissing Reason = "ReplacementMissing"
)

// Refusal is why a machine is not replaced.
type Refusal struct {
	// Reason is the reason of the condition Blocked.
	Reason Reason
	// Message says in one sentence why, and what a person can do.
	Message string
}

// Begin chooses how the machine is replaced, and returns what is stored before anything is changed. It returns a refusal
// instead if nothing replaces the machine.
func Begin(wish Wish, now time.Time) (*v1beta1.MachineReplacement, *Refusal) {
	if refusal := refuse(wish); refusal != nil {
		return nil, refusal
	}
	begun := &v1beta1.MachineReplacement{
		Strategy: v1beta1.DeleteFirst, Machine: wish.Machine, Owner: &wish.Owner.Object,
		Step: v1beta1.StepAwaitDrain, StepTime: new(metav1.NewTime(now)),
	}
	if surges(wish) {
		begun.Strategy, begun.Step = v1beta1.SurgeFirst, v1beta1.StepSurge
	}
	return begun, nil
}

// surges says whether a machine is added first.
func surges(wish Wish) bool {
	return wish.Strategy != v1beta1.DeleteFirst && !wish.Owner.ControlPlane && wish.Owner.NoSurge == ""
}

func refuse(wish Wish) *Refusal {
	if wish.ControlPlaneNode && (wish.Owner == nil || !wish.Owner.ControlPlane) {
		return &Refusal{Reason: ReasonControlPlaneNotReplaced, Message: fmt.Sprintf(
			"machine %s belongs to the control plane, and no controller of control planes replaces it; replace it by hand, then delete this event",
			name(wish.Machine))}
	}
	if wish.Owner != nil {
		return nil
	}
	has := "it has no owner, such as a MachineSet"
	if wish.OwnerKind != "" {
		has = "its owner, a " + wish.OwnerKind + ", is gone or replaces no machines"
	}
	return &Refusal{Reason: ReasonNoOwner, Message: fmt.Sprintf(
		"nothing replaces machine %s: %s; create a new node, then delete the machine or this event", name(wish.Machine), has)}
}

// name is an object in a sentence.
func name(object v1beta1.ReplacedObject) string { return object.Namespace + "/" + object.Name }
