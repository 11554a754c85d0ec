// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestPodSelectorNarrowsTheDrain(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.Run(t, p.workload().
		Pod("batch-1", localcluster.OnNode(node), localcluster.Label("tier", "batch")).
		Pod("batch-2", localcluster.OnNode(node), localcluster.Label("tier", "night")).
		Pod("web", localcluster.OnNode(node), localcluster.Label("tier", "web")).
		Pod("plain", localcluster.OnNode(node)))
	hold := p.Hold("a", node)
	hold.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: "tier", Operator: metav1.LabelSelectorOpIn, Values: []string{"batch", "night"}},
	}}
	p.Create(t, hold)
	done := p.WaitForHold(t, hold.Name, "selected pods gone", succeeded)
	if got := condition(done, v1beta1.ConditionDrained).Reason; got != v1beta1.ReasonSelectedPodsGone {
		t.Errorf("Drained has the reason %s, want %s", got, v1beta1.ReasonSelectedPodsGone)
	}
	if s := done.Status; s.EvictionPods != 2 || s.TotalPods != 4 {
		t.Errorf("the drain moved %d of %d pods, want 2 of 4", s.EvictionPods, s.TotalPods)
	}
	p.wantApps(t, node, map[string]int{"web": 1, "plain": 1})

	p.patchPod(t, "web", `{"metadata":{"labels":{"tier":"night"}}}`)
	p.WaitForHold(t, hold.Name, "pod gone that was selected later", func(nm *v1beta1.NodeMaintenance) bool {
		return succeeded(nm) && nm.Status.EvictionPods == 1
	})
	p.wantApps(t, node, map[string]int{"plain": 1})
	p.waitForNodeConditions(t, node, map[corev1.NodeConditionType]corev1.ConditionStatus{
		corev1.NodeMaintenanceInProgress: corev1.ConditionTrue,
		corev1.NodeDrainInProgress:       corev1.ConditionFalse,
		corev1.NodeDrained:               corev1.ConditionFalse, // for the node is not empty
	})

	p.patch(t, hold.Name, `{"spec":{"drain":{"podSelector":null}}}`)
	done = p.WaitForHold(t, hold.Name, "all pods gone", succeeded)
	if got := condition(done, v1beta1.ConditionDrained).Reason; got != v1beta1.ReasonNodeEmpty {
		t.Errorf("Drained has the reason %s, want %s", got, v1beta1.ReasonNodeEmpty)
	}
	for _, v := range p.statuses.of(t, done) {
		if v.Status.ObservedGeneration == done.Generation && env.Drained(v.NodeMaintenance) && v.Status.TotalPods != 1 {
			t.Errorf("Drained was said of all pods for a drain that began with %d, want 1", v.Status.TotalPods)
		}
	}
	p.wantApps(t, node, map[string]int{})
}

// One typo must not make a full node look empty: not when the hold is made, and not afterwards.
func TestSelectorThatMatchesNothing(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node, name := p.Nodes[0], p.Name+"-a"
	p.Run(t, p.workload().
		Pod("web", localcluster.OnNode(node), localcluster.Label("tier", "web")).
		Pod("plain", localcluster.OnNode(node)))
	manifest := "apiVersion: maintenance.medik8s.io/v1beta1\nkind: NodeMaintenance\nmetadata: {name: " + name + "}\n" +
		"spec: {nodeName: " + node + ", drain: {podSelector: {matchLabels: {tier: wbe}}}}\n"
	warning := "spec.drain.podSelector matches 0 of 2 pods of node \"" + node + "\""
	for _, args := range [][]string{{"create", "--dry-run=server", "-f", "-"}, {"create", "-f", "-"}} {
		if out := p.Kubectl().Try(t, manifest, args...); out.Code != 0 || !strings.Contains(out.Stderr, warning) {
			t.Errorf("kubectl %v: exit code %d, stderr %q; want %q", args, out.Code, out.Stderr, warning)
		}
	}
	done := p.WaitForHold(t, name, "nothing to evict", succeeded)
	if c := condition(done, v1beta1.ConditionDrained); c.Reason != v1beta1.ReasonNoPodSelected || !strings.Contains(c.Message, "0 of 2 pods") || done.Status.SkippedPodCount != 2 {
		t.Errorf("Drained is %+v with %d pods skipped, want %s and 2", c, done.Status.SkippedPodCount, v1beta1.ReasonNoPodSelected)
	}
	for _, object := range []string{"nm/" + name, "nodes.maintenance.medik8s.io/" + node} {
		if out := p.Kubectl().Must(t, "", "get", object); !strings.Contains(out, string(v1beta1.NodePartiallyDrained)) {
			t.Errorf("kubectl get %s does not say that pods are left:\n%s", object, out)
		}
	}
	p.waitForNodeConditions(t, node, map[corev1.NodeConditionType]corev1.ConditionStatus{
		corev1.NodeMaintenanceInProgress: corev1.ConditionTrue,
		corev1.NodeDrainInProgress:       corev1.ConditionFalse,
		corev1.NodeDrained:               corev1.ConditionFalse,
	})
	out := p.Kubectl().Try(t, "", "patch", "nm", name, "--type=merge", "-p", `{"spec":{"drain":{"podSelector":{"matchLabels":{"tier":"bew"}}}}}`)
	if out.Code != 0 || !strings.Contains(out.Stderr, warning) {
		t.Errorf("kubectl patch: exit code %d, stderr %q; want %q", out.Code, out.Stderr, warning)
	}

	p.patch(t, name, `{"spec":{"drain":{"podSelector":{"matchLabels":{"tier":"web"}}}}}`)
	p.WaitForHold(t, name, "the selected pod gone", func(nm *v1beta1.NodeMaintenance) bool {
		return succeeded(nm) && condition(nm, v1beta1.ConditionDrained).Reason == v1beta1.ReasonSelectedPodsGone && nm.Status.SkippedPodCount == 1
	})
	all := p.drain(t, "all", node)
	p.WaitForHold(t, name, "no pod left", func(nm *v1beta1.NodeMaintenance) bool {
		return condition(nm, v1beta1.ConditionDrained).Reason == v1beta1.ReasonNodeEmpty && nm.Status.SkippedPodCount == 0
	})
	if got := condition(all, v1beta1.ConditionDrained).Reason; got != v1beta1.ReasonNodeEmpty {
		t.Errorf("Drained has the reason %s, want %s", got, v1beta1.ReasonNodeEmpty)
	}
	if out := p.Kubectl().Must(t, "", "get", "nodes.maintenance.medik8s.io", node); strings.Contains(out, string(v1beta1.NodePartiallyDrained)) {
		t.Errorf("the node is empty:\n%s", out)
	}
}

func TestNarrowedSelectorLeavesPodsAlone(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.blockedPod(t, "kept", node)
	hold := p.Create(t, p.Hold("a", node))
	p.WaitForHold(t, hold.Name, "drain blocked", func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.BlockedPodCount == 1 })

	p.patch(t, hold.Name, `{"spec":{"drain":{"podSelector":{"matchLabels":{"app":"others"}}}}}`)
	p.WaitForHold(t, hold.Name, "selected pods gone", succeeded)
	p.deleteBudget(t, "kept")
	p.staysOn(t, node, "kept")
}

func TestAnotherReasonStartsNoNewDrain(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	first := p.drain(t, "a", p.Nodes[0])
	p.patch(t, first.Name, `{"spec":{"reason":"something else"}}`)
	second := p.WaitForHold(t, first.Name, "still drained", succeeded)
	if !second.Status.DrainedTime.Equal(first.Status.DrainedTime) || !second.Status.StartTime.Equal(first.Status.StartTime) {
		t.Errorf("status %+v, want the start and end of the drain that was done", second.Status)
	}
	for _, v := range p.statuses.of(t, second) {
		if v.Generation > 1 && !env.Drained(v.NodeMaintenance) {
			t.Errorf("Drained was taken back: %+v", v.Status)
		}
	}
	env.Eventually(t, "annotation with the new reason", func(context.Context) string {
		if note := p.Node(t, p.Nodes[0]).Annotations[v1beta1.HoldsAnnotation]; !strings.Contains(note, "something else") {
			return note
		}
		return ""
	})
}
