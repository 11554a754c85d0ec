// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/cloudevents/machineapi"
	"github.com/medik8s/maintenance-apiserver/test/cloudevents/machineplayer"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// family is a machine API.
type family struct {
	api                                        machineplayer.API
	machines, sets, deployments, controlPlanes schema.GroupVersionResource
	// controlPlane is the kind of its controllers of control planes.
	controlPlane string
}

func openShift() family {
	return family{
		api: machineplayer.OpenShift(), machines: machineapi.OpenShiftMachines, sets: machineapi.OpenShiftMachineSets,
		controlPlanes: machineapi.OpenShiftControlPlanes, controlPlane: "ControlPlaneMachineSet",
	}
}

func clusterAPI() family {
	const version = "v1beta2"
	return family{
		api: machineplayer.ClusterAPI(version), machines: machineapi.Machines(version), sets: machineapi.MachineSets(version),
		deployments: machineapi.MachineDeployments(version), controlPlanes: machineapi.KubeadmControlPlanes(version),
		controlPlane: "KubeadmControlPlane",
	}
}

// crew are machines of one owner, and their nodes, in a namespace of their own.
type crew struct {
	*pool
	family
	player *machineplayer.Player
	// resource and name are those of the owner.
	resource schema.GroupVersionResource
	name     string
}

// newCrew makes so many machines of an owner, and waits until all of them are nodes.
func (o *own) newCrew(t *testing.T, of family, resource schema.GroupVersionResource, kind string, count int64, options ...machineplayer.Option) *crew {
	t.Helper()
	return poolOf(t, o.Env, 0).crew(t, of, resource, kind, count, options...)
}

// crew adds machines of another owner to the pool. There is one for each namespace, and the nodes of all have the label of
// the pool.
func (p *pool) crew(t *testing.T, of family, resource schema.GroupVersionResource, kind string, count int64, options ...machineplayer.Option) *crew {
	t.Helper()
	c := &crew{pool: p, family: of, resource: resource, name: p.Name + "-web"}
	p.ensureNamespace(t)
	options = append([]machineplayer.Option{machineplayer.Labels(map[string]string{env.PoolLabel: p.Name})}, options...)
	c.player = machineplayer.Start(t, p.Cluster, p.Name, of.api, options...)
	if _, err := c.objects(resource).Create(t.Context(), of.api.Owner(kind, c.name, count), strict); err != nil {
		t.Fatalf("could not create %s %s: %v", kind, c.name, err)
	}
	c.complete(t, int(count))
	return c
}

// ensureNamespace makes the namespace of the pool, where the server may replace machines.
func (p *pool) ensureNamespace(t *testing.T) {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.Name}}
	_, err := p.Kube.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	if err := p.Cluster.ApplyChart(t.Context(), machinesIn(p.Name)...); err != nil {
		t.Fatal(err)
	}
}

// complete waits until the crew has so many machines, each of which is a node.
func (c *crew) complete(t *testing.T, count int) {
	t.Helper()
	env.EventuallyWithin(t, 2*env.Timeout, fmt.Sprintf("%d machines are nodes", count), func(ctx context.Context) string {
		list, err := c.objects(c.machines).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err.Error()
		}
		nodes := 0
		for i := range list.Items {
			if nodeOf(&list.Items[i]) != "" {
				nodes++
			}
		}
		if len(list.Items) != count || nodes != count {
			return fmt.Sprintf("%d machines, %d nodes", len(list.Items), nodes)
		}
		return ""
	})
}

// nodes are the names of the nodes of the crew's machines.
func (c *crew) nodes(t *testing.T) (names []string) {
	t.Helper()
	for _, machine := range c.all(t) {
		names = append(names, nodeOf(machine))
	}
	slices.Sort(names)
	return names
}

// all are the machines.
func (c *crew) all(t *testing.T) (machines []*unstructured.Unstructured) {
	t.Helper()
	list, err := c.objects(c.machines).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		machines = append(machines, &list.Items[i])
	}
	return machines
}

// machineOf is the name of the machine of a node.
func (c *crew) machineOf(t *testing.T, node string) string {
	t.Helper()
	for _, machine := range c.all(t) {
		if nodeOf(machine) == node {
			return machine.GetName()
		}
	}
	t.Fatalf("no machine is node %s", node)
	return ""
}

func nodeOf(machine *unstructured.Unstructured) string {
	name, _, _ := unstructured.NestedString(machine.Object, "status", "nodeRef", "name")
	return name
}

// wantReplicas wants the owner to have so many replicas, and nothing left of a surge. So does the set of a deployment.
func (c *crew) wantReplicas(t *testing.T, want int64) {
	t.Helper()
	owner, err := c.objects(c.resource).Get(t.Context(), c.name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	count, _, _ := unstructured.NestedInt64(owner.Object, "spec", "replicas")
	if _, surged := owner.GetAnnotations()[v1beta1.SurgeAnnotation]; count != want || surged {
		t.Errorf("%s has %d replicas and annotations %v, want %d and none of a surge", c.name, count, owner.GetAnnotations(), want)
	}
}

// wantDeleted wants these machines to be gone, and no other, and none to have been drained by its controller.
func (c *crew) wantDeleted(t *testing.T, want ...string) {
	t.Helper()
	got := c.player.Deleted()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the machines %v were deleted, want %v", got, want)
	}
	if drained := c.player.Drained(); len(drained) > 0 {
		t.Errorf("the controller has drained the machines %v a second time", drained)
	}
}
