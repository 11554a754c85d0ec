// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machineplayer

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// Failure is what a machine says that fails.
const Failure = "the cloud has no such machine"

// Strict writes are refused if a definition does not have a field. Others lose it.
var (
	strictCreate = metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}
	strictUpdate = metav1.UpdateOptions{FieldValidation: metav1.FieldValidationStrict}
)

// keepMachines has machines become nodes, fail, and go.
func (p *Player) keepMachines(ctx context.Context) error {
	machines, err := p.list(ctx, p.api.machines)
	if err != nil {
		return err
	}
	for _, machine := range machines {
		if err := p.keepMachine(ctx, machine); err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

func (p *Player) keepMachine(ctx context.Context, machine *unstructured.Unstructured) error {
	young := time.Since(machine.GetCreationTimestamp().Time) < p.delay
	fails, held := false, false
	p.set(func() { fails, held = p.failing > 0, p.held })
	switch {
	case deleting(machine):
		return p.takeAway(ctx, machine)
	case nodeOf(machine) != "" || p.hasFailed(machine):
		return nil
	case fails:
		p.set(func() { p.failing-- })
		return p.fail(ctx, machine)
	case held || young:
		return nil
	}
	return p.becomeNode(ctx, machine)
}

// becomeNode makes the node of a machine, and has the machine name it.
func (p *Player) becomeNode(ctx context.Context, machine *unstructured.Unstructured) error {
	options := localcluster.NodeOptions{Count: 1, NamePrefix: machine.GetName() + "-", Labels: maps.Clone(p.labels)}
	if err := p.cluster.AddNodes(ctx, options); err != nil {
		return err
	}
	name, id := machine.GetName()+"-1", "played:///zone-a/i-"+machine.GetName()
	p.set(func() { p.nodes = append(p.nodes, name) })
	patch := []byte(`{"spec":{"providerID":"` + id + `"}}`)
	node, err := p.kube.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return err
	}
	if err := unstructured.SetNestedField(machine.Object, id, "spec", "providerID"); err != nil {
		return err
	}
	machine, err = p.in(p.api.machines).Update(ctx, machine, strictUpdate)
	if err != nil {
		return err
	}
	machine.Object["status"] = p.api.Running(name, string(node.UID))
	_, err = p.in(p.api.machines).UpdateStatus(ctx, machine, strictUpdate)
	return err
}

// fail has a machine say that it becomes no node.
func (p *Player) fail(ctx context.Context, machine *unstructured.Unstructured) error {
	machine.Object["status"] = map[string]any{"phase": p.api.failed()}
	if err := unstructured.SetNestedField(machine.Object, Failure, p.api.failure()...); err != nil {
		return err
	}
	_, err := p.in(p.api.machines).UpdateStatus(ctx, machine, strictUpdate)
	return err
}

func (p *Player) hasFailed(machine *unstructured.Unstructured) bool {
	why, _, _ := unstructured.NestedString(machine.Object, p.api.failure()...)
	return why != ""
}

// takeAway drains the node of a machine unless it need not be, deletes it, and lets the machine go.
func (p *Player) takeAway(ctx context.Context, machine *unstructured.Unstructured) error {
	if node := nodeOf(machine); node != "" {
		_, undrained := machine.GetAnnotations()[p.api.undrained]
		if !undrained {
			if empty, err := p.drain(ctx, machine.GetName(), node); err != nil || !empty {
				return err
			}
		}
		if err := p.kube.CoreV1().Nodes().Delete(ctx, node, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	machine.SetFinalizers(slices.DeleteFunc(machine.GetFinalizers(), func(name string) bool { return name == Finalizer }))
	if _, err := p.in(p.api.machines).Update(ctx, machine, strictUpdate); err != nil {
		return err
	}
	p.set(func() { p.deleted = append(p.deleted, machine.GetName()) })
	return nil
}

// drain evicts the pods of a node, but for those of DaemonSets, and says whether none is left.
func (p *Player) drain(ctx context.Context, machine, node string) (empty bool, err error) {
	p.set(func() {
		if !slices.Contains(p.drained, machine) {
			p.drained = append(p.drained, machine)
		}
	})
	cordon := []byte(`{"spec":{"unschedulable":true}}`)
	if _, err := p.kube.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, cordon, metav1.PatchOptions{}); err != nil {
		return apierrors.IsNotFound(err), nil
	}
	pods, err := p.kube.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		return false, err
	}
	empty = true
	for i := range pods.Items {
		pod := &pods.Items[i]
		if owner := metav1.GetControllerOf(pod); owner != nil && owner.Kind == "DaemonSet" {
			continue
		}
		empty = false
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace}}
		err := p.kube.CoreV1().Pods(pod.Namespace).EvictV1(ctx, eviction)
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsTooManyRequests(err) {
			return false, err
		}
	}
	return empty, nil
}

func (p *Player) in(resource schema.GroupVersionResource) dynamic.ResourceInterface {
	return p.objects.Resource(resource).Namespace(p.namespace)
}

// list reads the objects of a resource; none if the API has no such resource.
func (p *Player) list(ctx context.Context, resource schema.GroupVersionResource) (objects []*unstructured.Unstructured, err error) {
	if resource.Resource == "" {
		return nil, nil
	}
	list, err := p.in(resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		objects = append(objects, &list.Items[i])
	}
	return objects, nil
}

// removeNodes removes the nodes that are left.
func (p *Player) removeNodes(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, node := range p.nodes {
		if err := p.kube.CoreV1().Nodes().Delete(ctx, node, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			t.Errorf("could not delete node %s: %v", node, err)
		}
	}
}
