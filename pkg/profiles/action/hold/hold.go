// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package hold takes nodes out of service for profiles, and gives them back: a profile has at most one NodeMaintenance on
// a node, whose name follows from the two. Holds knows it, for states and triggers alike; Raise and Release are the
// triggers hold and release.
//
// All of it is declarative: what is there is compared with what is wanted, so a call that is repeated changes nothing
// more. NodeMaintenances of others on the same node are never looked at: the node is given back when all of them have
// ended, and what was cordoned before stays so. That is the drainer's.
package hold

import (
	"context"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/serverholds"
)

// Requestor is the spec.requestor of the holds of a profile.
func Requestor(profile string) string { return v1beta1.ProfileRequestor + profile }

// Name is the name of the NodeMaintenance of a profile on a node.
func Name(np *v1beta1.NodeProfile) string { return keyOf(np).Name() }

func keyOf(np *v1beta1.NodeProfile) serverholds.Key {
	return serverholds.Key{Node: np.Spec.NodeName, Requestor: Requestor(np.Spec.Profile)}
}

// Holds reads and writes the NodeMaintenances of profiles.
type Holds struct {
	own *serverholds.Holds
}

// New returns Holds that call the server itself: only its own loopback client may speak for profiles.
func New(loopback versioned.Interface) *Holds { return &Holds{own: serverholds.New(loopback)} }

// Want is what a profile wants of a node.
type Want struct {
	// Stage is Cordon or Drain.
	Stage v1beta1.MaintenanceStage
	// Drain is which pods are drained, and how; nil: all, as by default.
	Drain *v1beta1.DrainSpec
	// Exactly lowers the stage, too. Without it, a hold of a higher stage keeps its stage and its drain.
	Exactly bool
	// Reason is why, for people to read. It is that of the first Want: others do not change it.
	Reason string
	// DryRun has the server check the write, and store nothing.
	DryRun bool
}

// Keep sees to it that the NodeMaintenance of the NodeProfile exists and does what is wanted, and says how far it is.
// While an earlier one is being given back, it changes nothing: see Seen.Ending.
func (h *Holds) Keep(ctx context.Context, np *v1beta1.NodeProfile, want Want) (Seen, error) {
	hold, err := h.own.Keep(ctx, keyOf(np), want.of(np), want.DryRun)
	if err != nil {
		return Seen{}, err
	}
	return see(hold, np), nil
}

// GiveBack deletes the NodeMaintenance of the NodeProfile, and says what is left of it.
func (h *Holds) GiveBack(ctx context.Context, np *v1beta1.NodeProfile, dry bool) (Seen, error) {
	hold, err := h.own.GiveBack(ctx, keyOf(np), dry)
	if err != nil || hold == nil {
		return Seen{}, err
	}
	return ending(hold, np), nil
}
