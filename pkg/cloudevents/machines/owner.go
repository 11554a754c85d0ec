// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
)

// topologyLabel is on what Cluster API keeps as the cluster's topology says: it would set replicas back.
const topologyLabel = "topology.cluster.x-k8s.io/owned"

// OwnerOf returns what replaces the machine. It is nil if nothing does; kind is the kind of the machine's controller
// then, if it has one. It is ErrNoMachine if the machine is gone.
func (c *Client) OwnerOf(ctx context.Context, machine v1beta1.ReplacedObject) (owner *replacement.Owner, kind string, err error) {
	found, err := c.get(ctx, machine)
	if err != nil {
		return nil, "", err
	}
	if found == nil {
		return nil, "", ErrNoMachine
	}
	object, err := c.controller(ctx, found)
	if object == nil || err != nil {
		return nil, controllerKind(found), err
	}
	group := object.GroupVersionKind().Group
	switch kind := object.GetKind(); {
	case kind == machineSetKind && group == machine.APIGroup:
		owner, err = c.setOwner(ctx, object)
		return owner, kind, err
	case group == controlPlaneGroup, kind == openShiftControlPlane && group == v1beta1.OpenShiftMachineGroup:
		return &replacement.Owner{Object: reference(object), ControlPlane: true}, kind, nil
	default:
		return nil, kind, nil
	}
}

// setOwner is the owner of a MachineSet's machines: the set, or the deployment that would set its replicas back.
func (c *Client) setOwner(ctx context.Context, set *unstructured.Unstructured) (*replacement.Owner, error) {
	deployment, err := c.controller(ctx, set)
	if err != nil {
		return nil, err
	}
	if deployment == nil {
		return &replacement.Owner{Object: reference(set), NoSurge: noSurge(set, controllerKind(set))}, nil
	}
	owner := &replacement.Owner{Object: reference(deployment)}
	if deployment.GetKind() != machineDeploymentKind {
		owner.Object, owner.NoSurge = reference(set), noSurge(set, deployment.GetKind())
		return owner, nil
	}
	sets, err := c.setsOf(ctx, owner.Object)
	switch {
	case err != nil:
		return nil, err
	case len(active(sets)) != 1:
		owner.NoSurge = "its MachineDeployment is being rolled out"
	default:
		owner.NoSurge = noSurge(deployment, "")
	}
	return owner, nil
}

// noSurge is the reason why somebody else would set the replicas of the object back.
func noSurge(object *unstructured.Unstructured, controller string) string {
	if controller != "" {
		return "its replicas are those that its " + controller + " wants"
	}
	if _, owned := object.GetLabels()[topologyLabel]; owned {
		return "its replicas are those of the cluster's topology"
	}
	return ""
}

// controller reads the object that controls another one. It is nil if there is none, or not any more, or if its kind is
// not served or not one that is known.
func (c *Client) controller(ctx context.Context, of *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	controller := metav1.GetControllerOf(of)
	if controller == nil {
		return nil, nil
	}
	group := schema.FromAPIVersionAndKind(controller.APIVersion, controller.Kind).Group
	if _, err := familyOf(group); err != nil && group != controlPlaneGroup {
		return nil, nil
	}
	object, err := c.get(ctx, v1beta1.ReplacedObject{
		APIGroup: group, Kind: controller.Kind, Namespace: of.GetNamespace(), Name: controller.Name, UID: controller.UID,
	})
	if errors.Is(err, ErrNotServed) {
		return nil, nil
	}
	return object, err
}

func controllerKind(of *unstructured.Unstructured) string {
	if controller := metav1.GetControllerOf(of); controller != nil {
		return controller.Kind
	}
	return ""
}

// setsOf returns the MachineSets of a MachineDeployment.
func (c *Client) setsOf(ctx context.Context, deployment v1beta1.ReplacedObject) ([]unstructured.Unstructured, error) {
	sets, err := c.list(ctx, deployment.APIGroup, machineSetKind, deployment.Namespace)
	return controlled(sets, deployment.UID), err
}

// controlled are the objects that one of the controllers controls.
func controlled(objects []unstructured.Unstructured, controllers ...types.UID) (of []unstructured.Unstructured) {
	for i := range objects {
		controller := metav1.GetControllerOf(&objects[i])
		for _, uid := range controllers {
			if controller != nil && controller.UID == uid {
				of = append(of, objects[i])
			}
		}
	}
	return of
}

// active are the sets that want machines.
func active(sets []unstructured.Unstructured) (wanting []unstructured.Unstructured) {
	for i := range sets {
		if replicas(&sets[i]) > 0 {
			wanting = append(wanting, sets[i])
		}
	}
	return wanting
}

// replicas is how many machines an object wants. It is 1 if the object does not say, as their APIs default it.
func replicas(of *unstructured.Unstructured) int64 {
	count, found, err := unstructured.NestedInt64(of.Object, "spec", "replicas")
	if !found || err != nil {
		return 1
	}
	return count
}
