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
	// NoSurge is the reason why no machine can be added to it, as the end of a sentence. Empty if one can.
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
	// Timeout is how long the new machine may take.
	Timeout time.Duration
}

// Begin chooses how the machine is replaced, and returns what is stored before anything is changed. If nothing replaces the
// machine it returns nil, and why, for the end of a sentence.
func Begin(wish Wish, now time.Time) (begun *v1beta1.MachineReplacement, why string) {
	if why := whyNot(wish); why != "" {
		return nil, why
	}
	begun = &v1beta1.MachineReplacement{
		Strategy: v1beta1.DeleteFirst, Machine: wish.Machine, Owner: &wish.Owner.Object,
		Step: v1beta1.StepAwaitDrain, StepTime: new(metav1.NewTime(now)), TimeoutSeconds: new(int64(wish.Timeout / time.Second)),
	}
	if surges(wish) {
		begun.Strategy, begun.Step = v1beta1.SurgeFirst, v1beta1.StepSurge
	}
	return begun, ""
}

// surges says whether a machine is added first.
func surges(wish Wish) bool {
	return wish.Strategy != v1beta1.DeleteFirst && !wish.Owner.ControlPlane && wish.Owner.NoSurge == ""
}

// whyNot is the reason why nothing replaces the machine; empty: something does.
func whyNot(wish Wish) string {
	switch {
	case wish.Owner == nil && wish.OwnerKind == "":
		return "it has no owner, such as a MachineSet"
	case wish.Owner == nil:
		return fmt.Sprintf("its owner, a %s, is gone or replaces no machines", wish.OwnerKind)
	case wish.ControlPlaneNode && !wish.Owner.ControlPlane:
		return fmt.Sprintf("its owner is a %s, which is no controller of control planes", wish.Owner.Object.Kind)
	}
	return ""
}

// name is an object in a sentence.
func name(object v1beta1.ReplacedObject) string { return object.Namespace + "/" + object.Name }
