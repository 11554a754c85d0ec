// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestNewNode(t *testing.T) {
	options := NodeOptions{Count: 5, NamePrefix: "gpu-", Zones: 2, Labels: map[string]string{"gpu": "yes"}}
	for index, want := range []struct{ name, zone string }{
		{"gpu-1", "zone-a"}, {"gpu-2", "zone-b"}, {"gpu-3", "zone-a"},
	} {
		node := newNode(options, index)
		if node.Name != want.name || node.Labels[corev1.LabelTopologyZone] != want.zone || node.Labels[corev1.LabelHostname] != want.name {
			t.Errorf("got node %s with labels %v, want %s in %s", node.Name, node.Labels, want.name, want.zone)
		}
		if node.Labels["gpu"] != "yes" {
			t.Errorf("got labels %v, want the one that was asked for", node.Labels)
		}
		if pods := node.Status.Capacity.Pods().Value(); pods != 110 {
			t.Errorf("got room for %d pods, want 110", pods)
		}
	}
}

func TestZoneName(t *testing.T) {
	for index, want := range map[int]string{0: "zone-a", 25: "zone-z", 26: "zone-aa", 27: "zone-ab"} {
		if got := zoneName(index); got != want {
			t.Errorf("got %s for zone %d, want %s", got, index, want)
		}
	}
}

func TestNodeReady(t *testing.T) {
	condition := func(status corev1.ConditionStatus) []corev1.NodeCondition {
		return []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
	}
	for name, tc := range map[string]struct {
		conditions []corev1.NodeCondition
		taint      string
		want       bool
	}{
		"new":                       {},
		"ready":                     {conditions: condition(corev1.ConditionTrue), want: true},
		"ready, but nobody noticed": {conditions: condition(corev1.ConditionTrue), taint: corev1.TaintNodeNotReady},
		"ready again, not noticed":  {conditions: condition(corev1.ConditionTrue), taint: corev1.TaintNodeUnreachable},
		"ready and cordoned":        {conditions: condition(corev1.ConditionTrue), taint: corev1.TaintNodeUnschedulable, want: true},
		"silent":                    {conditions: condition(corev1.ConditionUnknown)},
	} {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{Status: corev1.NodeStatus{Conditions: tc.conditions}}
			if tc.taint != "" {
				node.Spec.Taints = []corev1.Taint{{Key: tc.taint}}
			}
			if got := nodeReady(node); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}
