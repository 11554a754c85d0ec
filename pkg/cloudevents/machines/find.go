// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
)

// Find returns the machine that says it is the node, or an error: ErrNotServed, ErrNoMachine, one that names both
// machines if two say so, or one of the API server.
func (c *Client) Find(ctx context.Context, node *corev1.Node) (v1beta1.ReplacedObject, error) {
	var found []v1beta1.ReplacedObject
	unserved := 0
	for _, family := range families {
		machines, err := c.findIn(ctx, family.group, node)
		if errors.Is(err, ErrNotServed) {
			unserved++
			continue
		}
		if err != nil {
			return v1beta1.ReplacedObject{}, err
		}
		found = append(found, machines...)
	}
	switch {
	case unserved == len(families):
		return v1beta1.ReplacedObject{}, ErrNotServed
	case len(found) == 0:
		return v1beta1.ReplacedObject{}, fmt.Errorf("%w says that it is node %s", ErrNoMachine, node.Name)
	case len(found) > 1:
		return v1beta1.ReplacedObject{}, fmt.Errorf("machines %s/%s and %s/%s both say that they are node %s",
			found[0].Namespace, found[0].Name, found[1].Namespace, found[1].Name, node.Name)
	}
	return found[0], nil
}

// findIn returns the machines of a group that say they are the node. What the node says of its machine is not asked: its
// kubelet can write that.
func (c *Client) findIn(ctx context.Context, group string, node *corev1.Node) ([]v1beta1.ReplacedObject, error) {
	machines, err := c.list(ctx, group, machineKind, "")
	if err != nil {
		return nil, err
	}
	var found []v1beta1.ReplacedObject
	for i := range machines {
		if claimOf(&machines[i]).Means(node) {
			found = append(found, reference(&machines[i]))
		}
	}
	return found, nil
}

// NodeOf returns what a machine says itself of its node: empty while it has none. The error is ErrNotServed or
// ErrNoMachine if there is no such API, or machine.
func (c *Client) NodeOf(ctx context.Context, machine v1beta1.MachineReference) (replacement.NodeClaim, error) {
	if _, err := familyOf(machine.APIGroup); err != nil {
		return replacement.NodeClaim{}, err
	}
	found, err := c.get(ctx, v1beta1.ReplacedObject{
		APIGroup: machine.APIGroup, Kind: machineKind, Namespace: machine.Namespace, Name: machine.Name,
	})
	if err != nil {
		return replacement.NodeClaim{}, err
	}
	if found == nil {
		return replacement.NodeClaim{}, fmt.Errorf("%w %s/%s in %s", ErrNoMachine, machine.Namespace, machine.Name, machine.APIGroup)
	}
	return claimOf(found), nil
}

// claimOf is what a machine says of its node.
func claimOf(machine *unstructured.Unstructured) replacement.NodeClaim {
	return replacement.NodeClaim{
		Name: nodeName(machine), UID: types.UID(text(machine, "status", "nodeRef", "uid")),
		ProviderID: text(machine, "spec", "providerID"),
	}
}

func nodeName(machine *unstructured.Unstructured) string {
	return text(machine, "status", "nodeRef", "name")
}

// text is a field of an object; empty if it is not set, or not a text.
func text(object *unstructured.Unstructured, fields ...string) string {
	value, _, err := unstructured.NestedString(object.Object, fields...)
	if err != nil {
		return ""
	}
	return value
}
