// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
)

// Found is which node an event means.
type Found struct {
	// Node is the node; nil if Reason or Gone says why there is none.
	Node *corev1.Node
	// Gone says that the node that the event is about for good does not exist any more. Another one of that name does not
	// count.
	Gone bool
	// Reason is ReasonNodeNotFound, ReasonNodeMismatch or ReasonAmbiguousNode; empty: none of them.
	Reason string
	// Message says in a sentence what is wrong, with the names.
	Message string
}

// MachineNode is what the machine that spec.machineRef names says itself of its node.
type MachineNode struct {
	// NodeClaim is empty if it does not say.
	replacement.NodeClaim
	// Why is the reason why it does not say, for the end of a sentence: it does not exist.
	Why string
}

// FindNode says which of the nodes the event means. nodes are all nodes. machine is what the machine of spec.machineRef
// says; nil if there is no machineRef, or if no machine can be asked. Once the drain has started it is the node of the
// status, and no other one. For events that users create that is so once the node was found, since they were permitted to
// have events for that node. An event of a cloud follows its instance to another node until then.
func FindNode(event *v1beta1.ScheduledEvent, nodes []*corev1.Node, machine *MachineNode) Found {
	met := event.Status.NodeUID != "" && !v1beta1.IsCollected(event.Spec.Source)
	if met || event.Status.DrainStartTime != nil {
		return pinned(&event.Status, nodes)
	}
	found := named(&event.Spec, nodes, machine)
	if found.Reason != ReasonAmbiguousNode {
		return found
	}
	if last := pinned(&event.Status, nodes); last.Node != nil && v1beta1.InstanceID(last.Node.Spec.ProviderID) == event.Spec.InstanceID {
		return last // another node that says it is that machine too takes nothing from the first one
	}
	return found
}

// pinned is the node of the status.
func pinned(s *v1beta1.ScheduledEventStatus, nodes []*corev1.Node) Found {
	for _, node := range nodes {
		if node.Name == s.NodeName && node.UID == s.NodeUID {
			return Found{Node: node}
		}
	}
	return Found{Gone: true}
}

// clue is a node that a field of an event means, and how the field says so.
type clue struct {
	node *corev1.Node
	says string
}

// named is the node that all fields of the spec mean. None of them is believed alone if another one means another node.
func named(spec *v1beta1.ScheduledEventSpec, nodes []*corev1.Node, machine *MachineNode) Found {
	var clues []clue
	for _, look := range []func(*v1beta1.ScheduledEventSpec, []*corev1.Node, *MachineNode) (*clue, Found){byName, byInstance, byMachine} {
		c, missing := look(spec, nodes, machine)
		if missing.Reason != "" {
			return missing
		}
		if c != nil {
			clues = append(clues, *c)
		}
	}
	if len(clues) == 0 {
		return notFound("the event names no node")
	}
	for _, c := range clues[1:] {
		if c.node != clues[0].node {
			return Found{Reason: ReasonNodeMismatch, Message: mismatch(clues[0], c)}
		}
	}
	return Found{Node: clues[0].node}
}

func notFound(message string) Found { return Found{Reason: ReasonNodeNotFound, Message: message} }

func byName(spec *v1beta1.ScheduledEventSpec, nodes []*corev1.Node, _ *MachineNode) (*clue, Found) {
	if spec.NodeName == "" {
		return nil, Found{}
	}
	for _, node := range nodes {
		if node.Name == spec.NodeName {
			return &clue{node, "spec.nodeName"}, Found{}
		}
	}
	return nil, notFound(noNodeOfName(spec.NodeName))
}

// byInstance looks for the node whose provider ID ends with the instance ID. If several do, none of them is meant for
// sure: some kubelet may say what is not so.
func byInstance(spec *v1beta1.ScheduledEventSpec, nodes []*corev1.Node, _ *MachineNode) (*clue, Found) {
	if spec.InstanceID == "" {
		return nil, Found{}
	}
	var of []*corev1.Node
	for _, node := range nodes {
		if v1beta1.InstanceID(node.Spec.ProviderID) == spec.InstanceID {
			of = append(of, node)
		}
	}
	switch len(of) {
	case 0:
		return nil, notFound(noNodeOfInstance(spec.InstanceID))
	case 1:
		return &clue{of[0], "spec.instanceID " + spec.InstanceID}, Found{}
	default:
		return nil, Found{Reason: ReasonAmbiguousNode, Message: ambiguous(spec.InstanceID, of)}
	}
}

// byMachine looks for the node that the machine says it is.
func byMachine(spec *v1beta1.ScheduledEventSpec, nodes []*corev1.Node, machine *MachineNode) (*clue, Found) {
	ref := spec.MachineRef
	if ref == nil {
		return nil, Found{}
	}
	name := ref.Namespace + "/" + ref.Name
	if machine == nil {
		return nil, notFound(machineNotAsked(name))
	}
	if machine.Name == "" {
		return nil, notFound(machineSilent(name, machine.Why))
	}
	for _, node := range nodes {
		switch {
		case machine.Means(node):
			return &clue{node, "machine " + name}, Found{}
		case node.Name == machine.Name:
			return nil, notFound(machineNodeUnproven(name, node.Name))
		}
	}
	return nil, notFound(machineNodeMissing(name, machine.Name))
}
