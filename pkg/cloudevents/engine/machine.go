// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
	"github.com/medik8s/maintenance-apiserver/pkg/controlplane"
)

// machine says whether machines may be asked for, and what is known of that of the node. It matters only until the
// machine is being replaced. What was found counts for a minute, and is asked
// for again after 10 minutes if nothing happens.
func (t *term) machine(ctx context.Context, v *view) (hasAPI bool, found decision.Machine) {
	if t.config.Machines == nil {
		return false, decision.Machine{}
	}
	node := v.facts.Found.Node
	if node == nil || v.event.Status.Replacement != nil || decision.Withdrawn(v.event) || t.action(v) != v1beta1.EventActionReplace {
		return true, decision.Machine{}
	}
	known := t.notes.machine(v.name)
	if known.uid != node.UID || v.now.Sub(known.at) >= askMachines {
		known = t.find(ctx, v, node)
		t.notes.found(v.name, known)
	}
	again := mostKnown
	if known.served && !known.Known {
		again = askMachines
	}
	v.lookAt(known.at.Add(again))
	return known.served, known.Machine
}

// action is what is done for the event.
func (t *term) action(v *view) v1beta1.EventAction {
	if v.event.Status.DrainStartTime != nil {
		return v.event.Status.Action
	}
	action, _ := decision.ActionOf(v.event.Spec.Code, v.facts.Policies)
	return action
}

// foundMachine is what was found out about the machine of a node.
type foundMachine struct {
	decision.Machine
	// uid is the UID of the node, and at is when it was found out.
	uid types.UID
	at  time.Time
	// served says that there is a machine API.
	served bool
}

// find asks for the machine of a node.
func (t *term) find(ctx context.Context, v *view, node *corev1.Node) foundMachine {
	found := foundMachine{uid: node.UID, at: v.now, served: true}
	wish, err := t.wish(ctx, v, node)
	found.Name = name(wish.Machine)
	switch {
	case errors.Is(err, machines.ErrNotServed):
		found.served = false
	case errors.Is(err, machines.ErrNoMachine):
		found.Known, found.Name = true, ""
	case err != nil:
		klog.FromContext(ctx).Error(err, "Could not ask for the machine of a node", "scheduledEvent", v.name, "node", node.Name)
		found.Why = err.Error()
	default:
		found.Known = true
		begun, why := replacement.Begin(wish, v.now)
		if found.Replaceable, found.Why = begun != nil, why; found.Replaceable {
			found.Strategy = begun.Strategy
		}
	}
	return found
}

// wish is what a replacement would begin with, as the API server says now.
func (t *term) wish(ctx context.Context, v *view, node *corev1.Node) (wish replacement.Wish, err error) {
	live, err := t.config.Kube.CoreV1().Nodes().Get(ctx, node.Name, metav1.GetOptions{})
	if err != nil {
		return wish, fmt.Errorf("could not get the node: %w", err)
	}
	if live.UID != node.UID {
		return wish, fmt.Errorf("node %s is another one by now", node.Name)
	}
	wish.Strategy, wish.Timeout = decision.StrategyOf(v.facts.Policies), decision.TimeoutOf(v.facts.Policies)
	wish.ControlPlaneNode = controlplane.Member(node)
	if wish.Machine, err = t.config.Machines.Find(ctx, live); err != nil {
		return wish, err
	}
	wish.Owner, wish.OwnerKind, err = t.config.Machines.OwnerOf(ctx, wish.Machine)
	return wish, err
}

// name is an object in a sentence; empty if it is none.
func name(object v1beta1.ReplacedObject) string {
	if object.Name == "" {
		return ""
	}
	return object.Namespace + "/" + object.Name
}
