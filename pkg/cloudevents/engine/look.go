// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines"
	fleet "github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/serverholds"
)

const (
	// askMachines is the time after which machines are asked again that did not say what is waited for.
	askMachines = time.Minute
	// mostKnown is how long what is known of a machine is left alone at most, before it is being replaced.
	mostKnown = 10 * time.Minute
)

// look looks at an event. It returns nil if there is none, or it cannot be read: then what it has begun stays as it is.
func (t *term) look(ctx context.Context, name string) (*view, error) {
	event, err := t.confirmed(ctx, name)
	if event == nil || v1beta1.WhyUnreadable(event) != "" {
		return nil, err
	}
	v := &view{name: name, now: t.config.Clock.Now(), event: event}
	v.facts = decision.Facts{
		Now: v.now, Event: event, Others: t.others(name),
		Refusal: t.notes.refusal(name), Kept: t.notes.kept(name), ReplacementFails: t.notes.trouble(name),
	}
	nodes, err := t.config.Cluster.Nodes()
	if err != nil {
		return nil, err
	}
	machine, err := t.machineNode(ctx, v)
	if err != nil {
		return nil, err
	}
	v.facts.Found = decision.FindNode(event, nodes, machine)
	if err := t.confirmGone(ctx, v); err != nil {
		return nil, err
	}
	policies := t.config.Policies.Policies()
	if err := unreadPolicy(policies, v); err != nil {
		return nil, err
	}
	v.facts.Policies = decision.PoliciesOf(v.facts.Found.Node, policies)
	if v.facts.Hold, err = t.storedHold(ctx, v); err != nil {
		return nil, err
	}
	if !decision.Ended(event) {
		v.facts.Drains = t.drains(ctx, v)
		v.facts.MachineAPI, v.facts.Machine = t.machine(ctx, v)
	}
	return v, nil
}

// unreadPolicy fails if a policy cannot be read that may say what is done at the event: what is usual may be what it excludes.
func unreadPolicy(policies []*v1beta1.MaintenancePolicy, v *view) error {
	node := v.facts.Found.Node
	if node == nil || decision.Ended(v.event) {
		return nil
	}
	for _, policy := range policies {
		if selects, err := fleet.Selects(policy, node); v1beta1.WhyUnreadable(policy) != "" && (selects || err != nil) {
			return fmt.Errorf("nothing is done, since MaintenancePolicy %s cannot be read: %s", policy.Name, v1beta1.WhyUnreadable(policy))
		}
	}
	return nil
}

// confirmed returns an event. In each term this server itself is asked for it once: a former leader may have gone on with
// it, and the cache may not show that yet.
func (t *term) confirmed(ctx context.Context, name string) (*v1beta1.ScheduledEvent, error) {
	event := t.event(name)
	if event == nil || t.latest.Confirmed(name) {
		return event, nil
	}
	return t.get(ctx, name)
}

// get asks this server itself for an event; nil if there is none.
func (t *term) get(ctx context.Context, name string) (*v1beta1.ScheduledEvent, error) {
	live, err := t.client.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		t.latest.Gone(name, "")
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("could not get the scheduled event: %w", err)
	}
	t.latest.Show(live)
	return live, nil
}

// others are all other events.
func (t *term) others(name string) []decision.Other {
	var others []decision.Other
	for _, event := range t.all() {
		if event.Name != name {
			others = append(others, decision.OtherOf(event, t.node(event.Status.NodeName)))
		}
	}
	return others
}

// confirmGone asks the API server whether the node of an event is gone for certain: a cache that has just been filled may be
// older than what a former leader saw. Its hold would go, with the node still there.
func (t *term) confirmGone(ctx context.Context, v *view) error {
	if !v.facts.Found.Gone || decision.Ended(v.event) {
		return nil
	}
	node, err := t.config.Kube.CoreV1().Nodes().Get(ctx, v.event.Status.NodeName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("could not get the node: %w", err)
	case node.UID == v.event.Status.NodeUID:
		return fmt.Errorf("node %s exists, but is not known yet", node.Name)
	default:
		return nil
	}
}

// machineNode asks the machine that the event names for its node; nil if it names none, or if no machine can be asked.
func (t *term) machineNode(ctx context.Context, v *view) (*decision.MachineNode, error) {
	ref := v.event.Spec.MachineRef
	if ref == nil || t.config.Machines == nil || v.event.Status.DrainStartTime != nil || decision.Ended(v.event) || decision.Withdrawn(v.event) {
		return nil, nil
	}
	node, err := t.config.Machines.NodeOf(ctx, *ref)
	switch {
	case errors.Is(err, machines.ErrNotServed):
		return nil, nil
	case errors.Is(err, machines.ErrNoMachine):
		v.lookAt(v.now.Add(askMachines))
		return &decision.MachineNode{Why: "it does not exist"}, nil
	case err != nil && v.event.Status.NodeName != "": // its node was found before, and is not given back for that
		return nil, fmt.Errorf("could not ask the machine for its node: %w", err)
	case err != nil:
		klog.FromContext(ctx).Error(err, "Could not ask a machine for its node", "scheduledEvent", v.name)
		v.lookAt(v.now.Add(askMachines))
		return &decision.MachineNode{Why: err.Error()}, nil
	case node.Name == "" || v.event.Status.NodeName == "": // it may yet prove that a node is its own
		v.lookAt(v.now.Add(askMachines))
	}
	return &decision.MachineNode{NodeClaim: node}, nil
}

// storedHold returns the hold of the event as it is stored, wherever it is; nil if there is none. One that is not on the
// node of the event comes first: it has to go.
func (t *term) storedHold(ctx context.Context, v *view) (*v1beta1.NodeMaintenance, error) {
	known, err := t.knownHolds(v)
	if err != nil {
		return nil, err
	}
	var stored *v1beta1.NodeMaintenance
	for key := range known {
		hold, err := t.holds.Get(ctx, key)
		switch {
		case errors.Is(err, serverholds.ErrTaken):
			t.notes.refuse(v.name, err.Error())
		case err != nil:
			return nil, fmt.Errorf("could not get the hold: %w", err)
		case hold != nil && (stored == nil || v.facts.Found.Node == nil || hold.Spec.NodeName != v.facts.Found.Node.Name):
			stored = hold
		}
	}
	return stored, nil
}

// knownHolds are the holds that the event may have: those that are cached, and the one that its status names.
func (t *term) knownHolds(v *view) (map[serverholds.Key]bool, error) {
	holds, err := t.config.Cluster.Holds()
	if err != nil {
		return nil, err
	}
	known, requestor := map[serverholds.Key]bool{}, v1beta1.EventRequestor+v.name
	for _, hold := range holds {
		if hold.Spec.Requestor == requestor {
			known[serverholds.Key{Node: hold.Spec.NodeName, Requestor: requestor}] = true
		}
	}
	if v.event.Status.Maintenance != "" && v.event.Status.NodeName != "" && !decision.Ended(v.event) {
		known[serverholds.Key{Node: v.event.Status.NodeName, Requestor: requestor}] = true
	}
	return known, nil
}

// isOfEvent says whether a hold is that of an event.
func isOfEvent(hold *v1beta1.NodeMaintenance) bool {
	return strings.HasPrefix(hold.Spec.Requestor, v1beta1.EventRequestor)
}
