// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package integrations

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	typed "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
)

// Known knows all NodeMaintenances, from memory. A drainer.Drainer does.
type Known interface {
	// Holds returns them. They are not to be changed. It fails while they are not known.
	Holds() ([]*v1beta1.NodeMaintenance, error)
}

// Holds reads and writes the NodeMaintenances of one integration. It has at most one on a node, whose name follows from
// the two. Those of others are never looked at.
type Holds struct {
	client    typed.NodeMaintenanceInterface
	known     Known
	requestor string
}

// NewHolds returns Holds that call the server itself: only its own loopback client may speak for integrations.
func NewHolds(loopback versioned.Interface, known Known, requestor string) *Holds {
	return &Holds{client: loopback.MaintenanceV1beta1().NodeMaintenances(), known: known, requestor: requestor}
}

// Want is how a node is to be drained.
type Want struct {
	// Reason is why, for people to read.
	Reason string
	// Hurry gives pods one second to end, instead of their own grace periods.
	Hurry bool
}

// Keep sees to it that the node is held, and says whether it is drained. What people have changed of the drain stays,
// but for the grace period of a drain in a hurry. While an earlier hold is being given back, it changes nothing.
func (h *Holds) Keep(ctx context.Context, node *corev1.Node, want Want) (drained bool, err error) {
	hold, err := h.get(ctx, node.Name)
	switch {
	case err != nil:
		return false, err
	case hold == nil:
		hold, err = h.client.Create(ctx, h.wanted(h.newHold(node.Name, want.Reason), want), metav1.CreateOptions{})
	case hold.DeletionTimestamp == nil:
		hold, err = h.change(ctx, hold, h.wanted(hold, want))
	}
	if err != nil {
		return false, fmt.Errorf("could not hold the node: %w", err)
	}
	return isDrained(hold, node), nil
}

// GiveBack deletes the hold of the node, and says whether it is gone, so that the node is given back.
func (h *Holds) GiveBack(ctx context.Context, node string) (gone bool, err error) {
	hold, err := h.get(ctx, node)
	if err != nil || hold == nil {
		return err == nil, err
	}
	if hold.DeletionTimestamp != nil {
		return false, nil
	}
	err = h.client.Delete(ctx, hold.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &hold.UID}})
	if err != nil && !apierrors.IsNotFound(err) {
		return false, fmt.Errorf("could not give the node back: %w", err)
	}
	return false, nil
}

// Nodes returns the names of the nodes that the integration holds, as far as it is known.
func (h *Holds) Nodes() ([]string, error) {
	all, err := h.known.Holds()
	if err != nil {
		return nil, err
	}
	var nodes []string
	for _, hold := range all {
		if hold.Spec.Requestor == h.requestor && hold.DeletionTimestamp == nil {
			nodes = append(nodes, hold.Spec.NodeName)
		}
	}
	return nodes, nil
}

// get returns the hold of the node as it is stored; nil if there is none. A cache could be behind.
func (h *Holds) get(ctx context.Context, node string) (*v1beta1.NodeMaintenance, error) {
	hold, err := h.client.Get(ctx, v1beta1.HoldName(node, h.requestor), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("could not get the hold of the node: %w", err)
	case hold.Spec.Requestor != h.requestor || hold.Spec.NodeName != node:
		return nil, fmt.Errorf("NodeMaintenance %s is of %q on node %s, and has the name that %s needs for node %s: delete it",
			hold.Name, hold.Spec.Requestor, hold.Spec.NodeName, h.requestor, node)
	default:
		return hold, nil
	}
}

func (h *Holds) newHold(node, reason string) *v1beta1.NodeMaintenance {
	return &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: v1beta1.HoldName(node, h.requestor)},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: node, Requestor: h.requestor, Reason: reason},
	}
}

// wanted is the hold as it is wanted.
func (h *Holds) wanted(hold *v1beta1.NodeMaintenance, want Want) *v1beta1.NodeMaintenance {
	wanted := hold.DeepCopy()
	wanted.Spec.Stage = v1beta1.StageDrain
	if want.Hurry {
		wanted.Spec.Drain.GracePeriodSeconds = ptr.To[int64](1)
	}
	v1beta1.SetObjectDefaults_NodeMaintenance(wanted)
	return wanted
}

// change writes what has changed, if anything has.
func (h *Holds) change(ctx context.Context, old, hold *v1beta1.NodeMaintenance) (*v1beta1.NodeMaintenance, error) {
	if apiequality.Semantic.DeepEqual(old, hold) {
		return old, nil
	}
	return h.client.Update(ctx, hold, metav1.UpdateOptions{})
}

// isDrained says whether the hold has drained the node that is there now, as it asks for now.
func isDrained(hold *v1beta1.NodeMaintenance, node *corev1.Node) bool {
	drained := apimeta.FindStatusCondition(hold.Status.Conditions, v1beta1.ConditionDrained)
	return hold.DeletionTimestamp == nil && hold.Status.NodeUID == node.UID && drained != nil &&
		drained.Status == metav1.ConditionTrue && drained.ObservedGeneration == hold.Generation
}
