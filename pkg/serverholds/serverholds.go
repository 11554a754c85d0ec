// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package serverholds keeps the NodeMaintenances of the server itself: of profiles, of ScheduledEvents and of integrations.
// Each of them has at most one on a node, whose name follows from the two. Those of others are never looked at.
//
// All of it is declarative: what is there is compared with what is wanted, so a call that is repeated changes nothing
// more.
package serverholds

import (
	"context"
	"errors"
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	typed "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
)

// ErrTaken means that somebody else has a NodeMaintenance of the name that the server needs.
var ErrTaken = errors.New("delete it")

// Key says which NodeMaintenance is meant.
type Key struct {
	// Node is the name of the node.
	Node string
	// Requestor is the spec.requestor.
	Requestor string
}

// Name is the name of the NodeMaintenance.
func (k Key) Name() string { return v1beta1.HoldName(k.Node, k.Requestor) }

// Holds reads and writes NodeMaintenances of the server. Use New.
type Holds struct {
	client typed.NodeMaintenanceInterface
}

// New returns Holds that call the server itself: only its own loopback client may use its requestors.
func New(loopback versioned.Interface) *Holds {
	return &Holds{client: loopback.MaintenanceV1beta1().NodeMaintenances()}
}

// Want changes a NodeMaintenance to what it is to be. If it is new, only its name, its node and its requestor are set.
type Want func(hold *v1beta1.NodeMaintenance, isNew bool)

// Keep sees to it that the NodeMaintenance exists and is as it is wanted, and returns it. While an earlier one is being
// deleted, it changes nothing. With dry, the server only checks the write.
func (h *Holds) Keep(ctx context.Context, key Key, want Want, dry bool) (*v1beta1.NodeMaintenance, error) {
	stored, err := h.Get(ctx, key)
	switch {
	case err != nil:
		return nil, err
	case stored == nil:
		wanted := newHold(key)
		want(wanted, true)
		v1beta1.SetObjectDefaults_NodeMaintenance(wanted)
		return h.client.Create(ctx, wanted, metav1.CreateOptions{DryRun: dryRun(dry)})
	case stored.DeletionTimestamp != nil:
		return stored, nil
	default:
		return h.change(ctx, stored, want, dry)
	}
}

// change writes what has changed, if anything has.
func (h *Holds) change(ctx context.Context, stored *v1beta1.NodeMaintenance, want Want, dry bool) (*v1beta1.NodeMaintenance, error) {
	wanted := stored.DeepCopy()
	want(wanted, false)
	v1beta1.SetObjectDefaults_NodeMaintenance(wanted)
	if apiequality.Semantic.DeepEqual(stored, wanted) {
		return stored, nil
	}
	return h.client.Update(ctx, wanted, metav1.UpdateOptions{DryRun: dryRun(dry)})
}

// GiveBack deletes the NodeMaintenance, and returns what is left of it; nil if it was gone before.
func (h *Holds) GiveBack(ctx context.Context, key Key, dry bool) (*v1beta1.NodeMaintenance, error) {
	stored, err := h.Get(ctx, key)
	if err != nil || stored == nil || stored.DeletionTimestamp != nil {
		return stored, err
	}
	err = h.client.Delete(ctx, stored.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &stored.UID}, DryRun: dryRun(dry),
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	return stored, nil
}

// Get returns the NodeMaintenance as it is stored; nil if there is none. A cache could be behind what was done last. It
// fails with ErrTaken if somebody else's has its name.
func (h *Holds) Get(ctx context.Context, key Key) (*v1beta1.NodeMaintenance, error) {
	hold, err := h.client.Get(ctx, key.Name(), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	case hold.Spec.Requestor != key.Requestor || hold.Spec.NodeName != key.Node:
		return nil, fmt.Errorf("NodeMaintenance %s is of %q on node %s, and has the name that %s needs for node %s: %w",
			hold.Name, hold.Spec.Requestor, hold.Spec.NodeName, key.Requestor, key.Node, ErrTaken)
	default:
		return hold, nil
	}
}

func newHold(key Key) *v1beta1.NodeMaintenance {
	return &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: key.Name()},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: key.Node, Requestor: key.Requestor},
	}
}

func dryRun(dry bool) []string {
	if dry {
		return []string{metav1.DryRunAll}
	}
	return nil
}
