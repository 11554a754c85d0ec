// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package integrations

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/serverholds"
)

// Known knows all NodeMaintenances, from memory. A drainer.Drainer does.
type Known interface {
	// Holds returns them. They are not to be changed. It fails while they are not known.
	Holds() ([]*v1beta1.NodeMaintenance, error)
}

// Holds reads and writes the NodeMaintenances of one integration. It has at most one on a node, whose name follows from
// the two. Those of others are never looked at.
type Holds struct {
	own       *serverholds.Holds
	known     Known
	requestor string
}

// NewHolds returns Holds that call the server itself: only its own loopback client may speak for integrations.
func NewHolds(loopback versioned.Interface, known Known, requestor string) *Holds {
	return &Holds{own: serverholds.New(loopback), known: known, requestor: requestor}
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
	hold, err := h.own.Keep(ctx, h.key(node.Name), want.apply, false)
	if err != nil {
		return false, fmt.Errorf("could not hold the node: %w", err)
	}
	return isDrained(hold, node), nil
}

// GiveBack deletes the hold of the node, and says whether it is gone, so that the node is given back.
func (h *Holds) GiveBack(ctx context.Context, node string) (gone bool, err error) {
	hold, err := h.own.GiveBack(ctx, h.key(node), false)
	if err != nil {
		return false, fmt.Errorf("could not give the node back: %w", err)
	}
	return hold == nil, nil
}

func (h *Holds) key(node string) serverholds.Key {
	return serverholds.Key{Node: node, Requestor: h.requestor}
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

// apply makes the hold as it is wanted.
func (want Want) apply(hold *v1beta1.NodeMaintenance, isNew bool) {
	if isNew {
		hold.Spec.Reason = want.Reason
	}
	hold.Spec.Stage = v1beta1.StageDrain
	if want.Hurry {
		hold.Spec.Drain.GracePeriodSeconds = ptr.To[int64](1)
	}
}

// isDrained says whether the hold has drained the node that is there now, as it asks for now.
func isDrained(hold *v1beta1.NodeMaintenance, node *corev1.Node) bool {
	drained := apimeta.FindStatusCondition(hold.Status.Conditions, v1beta1.ConditionDrained)
	return hold.DeletionTimestamp == nil && hold.Status.NodeUID == node.UID && drained != nil &&
		drained.Status == metav1.ConditionTrue && drained.ObservedGeneration == hold.Generation
}
