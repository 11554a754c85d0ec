// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// The verbs below act as people and other controllers do, behind the drainer's back, and let the
// drainer react.

func (c *cluster) changePod(name string, change func(*corev1.Pod)) {
	c.t.Helper()
	drainertest.Change(c.Server, stored[*corev1.Pod](c, drainertest.Namespace, name), change)
}

// finish ends the pods, as the kubelet does with terminating ones.
func (c *cluster) finish(names ...string) {
	c.t.Helper()
	for _, name := range names {
		c.Remove(stored[*corev1.Pod](c, drainertest.Namespace, name))
	}
	c.settle()
}

func (c *cluster) changeNode(name string, change func(*corev1.Node)) {
	c.t.Helper()
	drainertest.Change(c.Server, c.node(name), change)
	c.settle()
}

func (c *cluster) node(name string) *corev1.Node {
	c.t.Helper()
	return stored[*corev1.Node](c, "", name)
}

func (c *cluster) changeBudget(pdb *policyv1.PodDisruptionBudget) {
	c.Replace(pdb)
	c.settle()
}

func (c *cluster) create(hold *v1beta1.NodeMaintenance) {
	c.Add(hold)
	c.settle()
}

// change changes the spec of a hold, as the registry does.
func (c *cluster) change(name string, change func(*v1beta1.NodeMaintenance)) {
	c.t.Helper()
	drainertest.Change(c.Server, c.hold(name), func(hold *v1beta1.NodeMaintenance) {
		change(hold)
		hold.Generation++
	})
	c.settle()
}

// delete begins the deletion of a hold: its finalizer keeps it.
func (c *cluster) delete(name string) {
	c.t.Helper()
	c.Delete(c.hold(name))
	c.settle()
}

func (c *cluster) hold(name string) *v1beta1.NodeMaintenance {
	c.t.Helper()
	return stored[*v1beta1.NodeMaintenance](c, "", name)
}

// stored is an object that must be there.
func stored[T interface {
	comparable
	drainertest.Object
}](c *cluster, namespace, name string,
) T {
	c.t.Helper()
	var none T
	object := drainertest.Get[T](c.Server, namespace, name)
	if object == none {
		c.t.Fatalf("%T %s is not there", object, name)
	}
	return object
}
