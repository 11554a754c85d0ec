// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapdata

import (
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Adoption is where the controller has left a profile on a node.
type Adoption struct {
	// State is the state that it is in, since Since.
	State v1beta1.ProfileState
	Since time.Time
	// Previous is the state before, as far as it is known: the same as State once that was entered.
	Previous v1beta1.ProfileState
	// EnterPending says that what the state does when it is entered may not be done yet.
	EnterPending bool
	// Hold is how far the triggers of the profile have taken the node out of service by now; Idle if they have not.
	Hold v1beta1.MaintenanceStage
	// Cordoned says that the node is cordoned, and that this counts as done for the profile: when its hold ends, the node is
	// uncordoned. Otherwise, what was cordoned before stays so.
	Cordoned bool
	// Sent is the time when notifiers of the profile have sent last, by their names here. One that has not is not there.
	Sent map[string]time.Time
	// Pools are the places of staggers that are taken.
	Pools []v1beta1.LedgerPool
	// Warnings say what a person should know of it.
	Warnings []string
	// SinceOnly says that the mirrors have written the annotation by now: it tells only since when the profile is
	// Operational, if that is longer than it is on the node, and what was sent.
	SinceOnly bool
}

// Adopt reads where the controller has left the profile on the node: from the annotation of the node, and from the
// Leases of staggers. It says no if the annotation is not there, or does not know the profile. If the annotation cannot
// be read, it fails: then nothing is to be adopted, and the profile must not act on the node.
func Adopt(node *corev1.Node, leases []*coordinationv1.Lease, profile *v1beta1.MaintenanceProfile) (Adoption, bool, error) {
	text := node.Annotations[Annotation]
	if text == "" {
		return Adoption{}, false, nil
	}
	data, err := Parse(text)
	if err != nil {
		return Adoption{}, false, err
	}
	known := data.Profiles[profile.AliasOrName()]
	if known == nil {
		return Adoption{}, false, nil
	}
	adoption := Adoption{State: State(known.Current), Previous: State(known.Previous), Since: known.Transition}
	adoption.EnterPending = adoption.State != adoption.Previous
	adoption.Hold = heldBy(&profile.Spec, adoption.State)
	begun := leavesHolding(&profile.Spec, adoption.State)
	adoption.Cordoned = node.Spec.Unschedulable && (adoption.Hold != v1beta1.StageIdle || begun != "")
	adoption.Sent = sent(data.Notifications, profile.Spec.Notifiers)
	adoption.Pools = pools(leases, profile)
	adoption.Warnings = warnings(node, &adoption, begun)
	return adoption, true, nil
}

// AdoptSince is Adopt for an annotation that the mirrors have written. It tells of a profile what the controller has left as
// long as the profile has not come to the node.
func AdoptSince(node *corev1.Node, profile *v1beta1.MaintenanceProfile) (Adoption, bool) {
	data, err := Parse(node.Annotations[Annotation])
	if err != nil {
		return Adoption{}, false
	}
	known := data.Profiles[profile.AliasOrName()]
	if !known.isOperational() {
		return Adoption{}, false
	}
	return Adoption{
		State: v1beta1.ProfileOperational, Previous: v1beta1.ProfileOperational, Hold: v1beta1.StageIdle, SinceOnly: true,
		Since: known.Transition, Sent: sent(data.Notifications, profile.Spec.Notifiers),
	}, true
}

// warnings say what a person should know. Begun is the transition that the controller may have begun.
func warnings(node *corev1.Node, adoption *Adoption, begun string) []string {
	var warnings []string
	cordoned := node.Spec.Unschedulable
	switch {
	case adoption.Hold != v1beta1.StageIdle && !cordoned && !adoption.EnterPending:
		warnings = append(warnings, fmt.Sprintf("node %s should be cordoned in %s, but is not: it is taken out of service again",
			node.Name, adoption.State))
	case adoption.Hold == v1beta1.StageIdle && adoption.Cordoned:
		warnings = append(warnings, fmt.Sprintf("node %s is cordoned: that is taken for the beginning of the transition %s, "+
			"so the node is uncordoned when its maintenance ends", node.Name, begun))
	case adoption.Hold == v1beta1.StageIdle && cordoned && adoption.State != v1beta1.ProfileOperational:
		warnings = append(warnings, fmt.Sprintf("node %s is cordoned, but not by this profile: it stays so when its maintenance ends", node.Name))
	}
	if adoption.Since.IsZero() {
		warnings = append(warnings, "the annotation does not say since when: waits begin anew")
	}
	return warnings
}
