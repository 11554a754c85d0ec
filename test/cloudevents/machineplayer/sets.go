// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machineplayer

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
)

// Finalizer keeps machines until their node is gone.
const Finalizer = "machineplayer.test/node"

// scaleSets has the sets of deployments want what their deployment wants.
func (p *Player) scaleSets(ctx context.Context) error {
	deployments, err := p.list(ctx, p.api.deployments)
	if err != nil || len(deployments) == 0 {
		return err
	}
	sets, err := p.list(ctx, p.api.sets)
	if err != nil {
		return err
	}
	for _, deployment := range deployments {
		own := controlled(sets, deployment)
		if len(own) == 0 {
			if err := p.createSet(ctx, deployment); err != nil {
				return err
			}
			continue
		}
		if replicas(own[0]) != replicas(deployment) {
			own[0].Object["spec"].(map[string]any)["replicas"] = replicas(deployment)
			if _, err := p.in(p.api.sets).Update(ctx, own[0], strictUpdate); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepSets has each set have as many machines as it wants.
func (p *Player) keepSets(ctx context.Context) error {
	sets, err := p.list(ctx, p.api.sets)
	if err != nil {
		return err
	}
	machines, err := p.list(ctx, p.api.machines)
	if err != nil {
		return err
	}
	for _, set := range sets {
		if set.GetDeletionTimestamp() == nil {
			if err := p.keepSet(ctx, set, controlled(machines, set)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Player) keepSet(ctx context.Context, set *unstructured.Unstructured, machines []*unstructured.Unstructured) error {
	if p.api.openShift {
		machines = slices.DeleteFunc(machines, deleting)
	}
	slices.SortFunc(machines, func(a, b *unstructured.Unstructured) int { return p.priority(b) - p.priority(a) })
	for missing := replicas(set) - int64(len(machines)); missing > 0; missing-- {
		if err := p.createMachine(ctx, set); err != nil {
			return err
		}
	}
	for surplus := int64(len(machines)) - replicas(set); surplus > 0; surplus-- {
		victim := machines[surplus-1]
		if deleting(victim) {
			continue
		}
		if err := p.in(p.api.machines).Delete(ctx, victim.GetName(), metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return p.report(ctx, p.api.sets, set, machines)
}

// priority is which machines go first: those that are being deleted, marked ones, those that are no nodes.
func (p *Player) priority(machine *unstructured.Unstructured) int {
	marked := slices.ContainsFunc(p.api.marks, func(mark string) bool {
		_, found := machine.GetAnnotations()[mark]
		return found
	})
	switch {
	case deleting(machine):
		return 3
	case marked:
		return 2
	case nodeOf(machine) == "":
		return 1
	}
	return 0
}

// keepControlPlanes has each control plane have as many machines as it wants. They add one machine at a time.
func (p *Player) keepControlPlanes(ctx context.Context) error {
	planes, err := p.list(ctx, p.api.controlPlanes)
	if err != nil || len(planes) == 0 {
		return err
	}
	machines, err := p.list(ctx, p.api.machines)
	if err != nil {
		return err
	}
	for _, plane := range planes {
		own := controlled(machines, plane)
		if p.api.openShift {
			own = slices.DeleteFunc(own, deleting)
		}
		if int64(len(own)) < replicas(plane) {
			if err := p.createMachine(ctx, plane); err != nil {
				return err
			}
		}
		if err := p.report(ctx, p.api.controlPlanes, plane, own); err != nil {
			return err
		}
	}
	return nil
}

// report writes the status of what keeps machines, if it has changed.
func (p *Player) report(ctx context.Context, resource schema.GroupVersionResource, of *unstructured.Unstructured,
	machines []*unstructured.Unstructured,
) error {
	ready := int64(0)
	for _, machine := range machines {
		if nodeOf(machine) != "" {
			ready++
		}
	}
	status := map[string]any{"replicas": int64(len(machines)), "readyReplicas": ready}
	old, _, _ := unstructured.NestedMap(of.Object, "status")
	if old["replicas"] == status["replicas"] && old["readyReplicas"] == status["readyReplicas"] {
		return nil
	}
	of.Object["status"] = status
	_, err := p.in(resource).UpdateStatus(ctx, of, strictUpdate)
	return err
}

// createMachine creates a machine that is controlled.
func (p *Player) createMachine(ctx context.Context, by *unstructured.Unstructured) error {
	_, err := p.in(p.api.machines).Create(ctx, p.api.Machine(nameAfter(by), by), strictCreate)
	return err
}

// createSet creates the set of a deployment, which makes the machines that the deployment describes.
func (p *Player) createSet(ctx context.Context, deployment *unstructured.Unstructured) error {
	set := p.api.Owner(setKind, nameAfter(deployment), replicas(deployment))
	set.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(deployment, deployment.GroupVersionKind())})
	to, from := set.Object["spec"].(map[string]any), deployment.Object["spec"].(map[string]any)
	to["selector"], to["template"] = from["selector"], from["template"]
	_, err := p.in(p.api.sets).Create(ctx, set, strictCreate)
	return err
}

func nameAfter(owner *unstructured.Unstructured) string {
	return owner.GetName() + "-" + rand.String(5)
}

func controlled(objects []*unstructured.Unstructured, by *unstructured.Unstructured) (own []*unstructured.Unstructured) {
	for _, object := range objects {
		if metav1.IsControlledBy(object, by) {
			own = append(own, object)
		}
	}
	return own
}

func replicas(of *unstructured.Unstructured) int64 {
	count, found, err := unstructured.NestedInt64(of.Object, "spec", "replicas")
	if !found || err != nil {
		return 1
	}
	return count
}

func deleting(object *unstructured.Unstructured) bool { return object.GetDeletionTimestamp() != nil }

func nodeOf(machine *unstructured.Unstructured) string {
	name, _, _ := unstructured.NestedString(machine.Object, "status", "nodeRef", "name")
	return strings.TrimSpace(name)
}
