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
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	typed "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
)

// Requestor is the spec.requestor of the holds of a profile.
func Requestor(profile string) string { return v1beta1.ProfileRequestor + profile }

// Name is the name of the NodeMaintenance of a profile on a node.
func Name(np *v1beta1.NodeProfile) string {
	return v1beta1.HoldName(np.Spec.NodeName, Requestor(np.Spec.Profile))
}

// Holds reads and writes the NodeMaintenances of profiles.
type Holds struct {
	client typed.NodeMaintenanceInterface
}

// New returns Holds that call the server itself: only its own loopback client may speak for profiles.
func New(loopback versioned.Interface) *Holds {
	return &Holds{client: loopback.MaintenanceV1beta1().NodeMaintenances()}
}

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
	hold, err := h.get(ctx, np)
	switch {
	case err != nil:
		return Seen{}, err
	case hold == nil:
		hold, err = h.client.Create(ctx, newHold(np, want), metav1.CreateOptions{DryRun: dryRun(want.DryRun)})
	case hold.DeletionTimestamp == nil:
		hold, err = h.change(ctx, hold, changed(hold, np, want), want.DryRun)
	}
	if err != nil {
		return Seen{}, err
	}
	return see(hold, np), nil
}

// GiveBack deletes the NodeMaintenance of the NodeProfile, and says what is left of it.
func (h *Holds) GiveBack(ctx context.Context, np *v1beta1.NodeProfile, dry bool) (Seen, error) {
	hold, err := h.get(ctx, np)
	if err != nil || hold == nil {
		return Seen{}, err
	}
	if hold.DeletionTimestamp == nil {
		err := h.client.Delete(ctx, hold.Name, metav1.DeleteOptions{
			Preconditions: &metav1.Preconditions{UID: &hold.UID}, DryRun: dryRun(dry),
		})
		if err != nil && !apierrors.IsNotFound(err) {
			return Seen{}, err
		}
	}
	return ending(hold, np), nil
}

// get returns the NodeMaintenance of the NodeProfile as it is stored; nil if there is none. A cache could be behind what
// the step before has done.
func (h *Holds) get(ctx context.Context, np *v1beta1.NodeProfile) (*v1beta1.NodeMaintenance, error) {
	hold, err := h.client.Get(ctx, Name(np), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	case hold.Spec.Requestor != Requestor(np.Spec.Profile) || hold.Spec.NodeName != np.Spec.NodeName:
		return nil, fmt.Errorf("NodeMaintenance %s is of %q on node %s, and has the name that profile %s needs for node %s: delete it",
			hold.Name, hold.Spec.Requestor, hold.Spec.NodeName, np.Spec.Profile, np.Spec.NodeName)
	default:
		return hold, nil
	}
}

// change writes what has changed, if anything has.
func (h *Holds) change(ctx context.Context, old, hold *v1beta1.NodeMaintenance, dry bool) (*v1beta1.NodeMaintenance, error) {
	if apiequality.Semantic.DeepEqual(old, hold) {
		return old, nil
	}
	return h.client.Update(ctx, hold, metav1.UpdateOptions{DryRun: dryRun(dry)})
}

func dryRun(dry bool) []string {
	if dry {
		return []string{metav1.DryRunAll}
	}
	return nil
}
