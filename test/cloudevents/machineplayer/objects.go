// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machineplayer

import (
	"context"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
)

// readyTimeout is how long all machines may take to become nodes.
const readyTimeout = 2 * time.Minute

// AddSet adds a MachineSet, and returns it when its machines are nodes.
func (p *Player) AddSet(t *testing.T, name string, count int64) *unstructured.Unstructured {
	t.Helper()
	return p.add(t, setKind, name, count)
}

// AddDeployment adds a MachineDeployment, and returns it when its machines are nodes.
func (p *Player) AddDeployment(t *testing.T, name string, count int64) *unstructured.Unstructured {
	t.Helper()
	return p.add(t, deploymentKind, name, count)
}

// AddControlPlane adds what keeps the machines of a control plane, and returns it when its machines are nodes.
func (p *Player) AddControlPlane(t *testing.T, name string, count int64) *unstructured.Unstructured {
	t.Helper()
	kind := "KubeadmControlPlane"
	if p.api.openShift {
		kind = "ControlPlaneMachineSet"
	}
	return p.add(t, kind, name, count)
}

func (p *Player) add(t *testing.T, kind, name string, count int64) *unstructured.Unstructured {
	t.Helper()
	created, err := p.in(p.api.resource(kind)).Create(t.Context(), p.api.Owner(kind, name, count), strictCreate)
	if err != nil {
		t.Fatalf("could not create %s %s: %v", kind, name, err)
	}
	p.WaitForNodes(t, created, count)
	return created
}

// WaitForNodes waits until as many machines of an owner are nodes, and no others are left.
func (p *Player) WaitForNodes(t *testing.T, owner *unstructured.Unstructured, count int64) {
	t.Helper()
	last := ""
	err := wait.PollUntilContextTimeout(t.Context(), interval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		machines, err := p.Machines(ctx, owner)
		nodes := int64(0)
		for _, machine := range machines {
			if nodeOf(machine) != "" {
				nodes++
			}
		}
		last = fmt.Sprintf("%d machines, %d nodes (%v)", len(machines), nodes, err)
		return err == nil && nodes == count && int64(len(machines)) == count, nil
	})
	if err != nil {
		t.Fatalf("%s %s has %s, want %d", owner.GetKind(), owner.GetName(), last, count)
	}
}

// Machines are the machines of an owner: a set, a deployment, or a control plane.
func (p *Player) Machines(ctx context.Context, owner *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	machines, err := p.list(ctx, p.api.machines)
	if err != nil {
		return nil, err
	}
	own := controlled(machines, owner)
	sets, err := p.list(ctx, p.api.sets)
	for _, set := range controlled(sets, owner) {
		own = append(own, controlled(machines, set)...)
	}
	return own, err
}

// Replicas is how many machines an owner wants now.
func (p *Player) Replicas(ctx context.Context, owner *unstructured.Unstructured) (int64, error) {
	for _, resource := range []schema.GroupVersionResource{p.api.sets, p.api.deployments, p.api.controlPlanes} {
		objects, err := p.list(ctx, resource)
		if err != nil {
			return 0, err
		}
		for _, object := range objects {
			if object.GetUID() == owner.GetUID() {
				return replicas(object), nil
			}
		}
	}
	return 0, fmt.Errorf("could not find %s %s", owner.GetKind(), owner.GetName())
}
