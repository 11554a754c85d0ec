// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var (
	podsResource    = corev1.SchemeGroupVersion.WithResource("pods")
	nodesResource   = corev1.SchemeGroupVersion.WithResource("nodes")
	budgetsResource = policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets")
	holdsResource   = v1beta1.SchemeGroupVersion.WithResource("nodemaintenances")
)

// The verbs below act as people and other controllers do, behind the drainer's back.

func (c *cluster) changePod(name string, change func(*corev1.Pod)) {
	c.t.Helper()
	pod, err := c.pod("default", name)
	if err != nil {
		c.t.Fatal(err)
	}
	pod = pod.DeepCopy()
	change(pod)
	if err := c.kube.Tracker().Update(podsResource, c.stamp(pod), pod.Namespace); err != nil {
		c.t.Fatal(err)
	}
}

// finish ends the pods, as the kubelet does with terminating ones.
func (c *cluster) finish(names ...string) {
	c.t.Helper()
	for _, name := range names {
		if err := c.kube.Tracker().Delete(podsResource, "default", name); err != nil {
			c.t.Fatal(err)
		}
	}
	c.settle()
}

func (c *cluster) changeNode(name string, change func(*corev1.Node)) {
	c.t.Helper()
	node := c.node(name).DeepCopy()
	change(node)
	if err := c.kube.Tracker().Update(nodesResource, c.stamp(node), ""); err != nil {
		c.t.Fatal(err)
	}
	c.settle()
}

func (c *cluster) node(name string) *corev1.Node {
	c.t.Helper()
	object, err := c.kube.Tracker().Get(nodesResource, "", name)
	if err != nil {
		c.t.Fatal(err)
	}
	return object.(*corev1.Node)
}

func (c *cluster) changeBudget(pdb *policyv1.PodDisruptionBudget) {
	c.t.Helper()
	if err := c.kube.Tracker().Update(budgetsResource, c.stamp(pdb), pdb.Namespace); err != nil {
		c.t.Fatal(err)
	}
	c.settle()
}

func (c *cluster) create(hold *v1beta1.NodeMaintenance) {
	c.t.Helper()
	c.add(hold)
	c.settle()
}

// change changes the spec of a hold, as the registry does.
func (c *cluster) change(name string, change func(*v1beta1.NodeMaintenance)) {
	c.t.Helper()
	hold := c.hold(name).DeepCopy()
	change(hold)
	hold.Generation++
	if err := c.maintenance.Tracker().Update(holdsResource, c.stamp(hold), ""); err != nil {
		c.t.Fatal(err)
	}
	c.settle()
}

// delete begins the deletion of a hold: its finalizer keeps it.
func (c *cluster) delete(name string) {
	c.t.Helper()
	hold := c.hold(name).DeepCopy()
	hold.DeletionTimestamp = ptrTo(metav1.Now())
	if err := c.maintenance.Tracker().Update(holdsResource, c.stamp(hold), ""); err != nil {
		c.t.Fatal(err)
	}
	c.settle()
}

func (c *cluster) hold(name string) *v1beta1.NodeMaintenance {
	c.t.Helper()
	object, err := c.maintenance.Tracker().Get(holdsResource, "", name)
	if err != nil {
		c.t.Fatal(err)
	}
	return object.(*v1beta1.NodeMaintenance)
}

func (c *cluster) wantNoHold(name string) {
	c.t.Helper()
	if _, err := c.maintenance.Tracker().Get(holdsResource, "", name); !apierrors.IsNotFound(err) {
		c.t.Errorf("hold %s is still there (%v)", name, err)
	}
}

// wait lets time pass.
func (c *cluster) wait(d time.Duration) {
	time.Sleep(d)
	c.settle()
}

func (c *cluster) wantCondition(name, kind string, status metav1.ConditionStatus, reason string) {
	c.t.Helper()
	condition := apimeta.FindStatusCondition(c.hold(name).Status.Conditions, kind)
	if condition == nil {
		c.t.Fatalf("hold %s has no condition %s: %+v", name, kind, c.hold(name).Status)
	}
	if condition.Status != status || condition.Reason != reason {
		c.t.Errorf("hold %s: %s=%s/%s (%s), want %s/%s", name, kind, condition.Status, condition.Reason, condition.Message, status, reason)
	}
}

func (c *cluster) wantPhase(name string, want v1beta1.MaintenancePhase) {
	c.t.Helper()
	if status := c.hold(name).Status; status.Phase != want {
		c.t.Errorf("hold %s is %s, want %s: %+v", name, status.Phase, want, status)
	}
}

func (c *cluster) wantEvictions(want map[string]int) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for pod, times := range want {
		if got := c.evictions[makePod(pod).UID]; got != times {
			c.t.Errorf("pod %s was posted %d times, want %d", pod, got, times)
		}
	}
}

func (c *cluster) wantCordoned(name string, want bool) {
	c.t.Helper()
	node := c.node(name)
	if node.Spec.Unschedulable != want || drainTainted(node) != want || annotated(node) != want ||
		(node.Labels[v1beta1.ExcludeFromRemediationLabel] == "true") != want {
		c.t.Errorf("node %s: want cordoned=%t, is: unschedulable=%t taints=%v labels=%v annotations=%v", name, want,
			node.Spec.Unschedulable, node.Spec.Taints, node.Labels, node.Annotations)
	}
}

func (c *cluster) refuseEviction(pod string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refuse[pod] = err
}

// events drains the events so far and returns their reasons.
func (c *cluster) events() []string {
	var reasons []string
	for {
		select {
		case event := <-c.recorder.Events:
			reasons = append(reasons, strings.Fields(event)[1])
		default:
			return reasons
		}
	}
}

func (c *cluster) wantEvent(reasons []string, want string, times int) {
	c.t.Helper()
	got := len(slices.DeleteFunc(slices.Clone(reasons), func(r string) bool { return r != want }))
	if got != times {
		c.t.Errorf("event %s was written %d times, want %d; all: %v", want, got, times, reasons)
	}
}

// statusWritten are the times at which the status of the hold was written.
func (c *cluster) statusWritten(name string) []time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.statusWrites[name])
}

// watched are the nodes whose pods the drainer watches.
func (c *cluster) watched() []string {
	c.drainer.pods.mu.Lock()
	defer c.drainer.pods.mu.Unlock()
	return slices.Sorted(maps.Keys(c.drainer.pods.watches))
}
