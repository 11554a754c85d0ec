// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

func (c *cluster) wantNoHold(name string) {
	c.t.Helper()
	if hold := drainertest.Get[*v1beta1.NodeMaintenance](c.Server, "", name); hold != nil {
		c.t.Errorf("hold %s is still there: %+v", name, hold)
	}
}

func (c *cluster) wantCondition(name, kind string, status metav1.ConditionStatus, reason string) {
	c.t.Helper()
	condition := apimeta.FindStatusCondition(c.hold(name).Status.Conditions, kind)
	if condition == nil {
		c.t.Fatalf("hold %s has no condition %s: %+v", name, kind, c.hold(name).Status)
	}
	if condition.Status != status || condition.Reason != reason {
		c.t.Errorf("hold %s: %s=%s/%s (%s), want %s/%s",
			name, kind, condition.Status, condition.Reason, condition.Message, status, reason)
	}
}

func (c *cluster) wantPhase(name string, want v1beta1.MaintenancePhase) {
	c.t.Helper()
	if status := c.hold(name).Status; status.Phase != want {
		c.t.Errorf("hold %s is %s, want %s: %+v", name, status.Phase, want, status)
	}
}

// counts are the numbers in a status, as far as pods are concerned.
type counts struct{ Total, Evicted, Pending, Progress int32 }

func (c *cluster) wantCounts(name string, want counts) {
	c.t.Helper()
	status := c.hold(name).Status
	got := counts{
		Total: status.TotalPods, Evicted: status.EvictionPods,
		Pending: status.PendingPodCount, Progress: ptr.Deref(status.DrainProgress, 0),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("the counts of hold %s (-want +got):\n%s", name, diff)
	}
}

// wantEvictions compares how often pods have been posted, by the names that builders gave them.
func (c *cluster) wantEvictions(want map[string]int) {
	c.t.Helper()
	got := map[string]int{}
	for pod := range want {
		got[pod] = c.Evictions(drainertest.UID(pod))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("how often pods were posted (-want +got):\n%s", diff)
	}
}

// wantCordoned wants all marks of a cordon on the node, or none.
func (c *cluster) wantCordoned(name string, want bool) {
	c.t.Helper()
	type marks struct{ Unschedulable, Tainted, Annotated, Labelled bool }
	node := c.node(name)
	got := marks{
		node.Spec.Unschedulable, nodemarks.DrainTainted(node), nodemarks.Annotated(node),
		node.Labels[v1beta1.ExcludeFromRemediationLabel] == "true",
	}
	if diff := cmp.Diff(marks{want, want, want, want}, got); diff != "" {
		c.t.Errorf("node %s (-want +got):\n%s", name, diff)
	}
}

// wantSameNode wants a node to be what it was before, but for its status.
func (c *cluster) wantSameNode(before *corev1.Node) {
	c.t.Helper()
	type essence struct {
		Spec                corev1.NodeSpec
		Labels, Annotations map[string]string
	}
	of := func(node *corev1.Node) essence {
		return essence{Spec: *node.Spec.DeepCopy(), Labels: node.Labels, Annotations: node.Annotations}
	}
	if diff := cmp.Diff(of(before), of(c.node(before.Name)), cmpopts.EquateEmpty()); diff != "" {
		c.t.Errorf("node %s was given back (-want +got):\n%s", before.Name, diff)
	}
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

// watched are the nodes whose pods the drainer watches.
func (c *cluster) watched() []string {
	return slices.Sorted(slices.Values(c.drainer.leading.Load().drains.pods.Watched()))
}
