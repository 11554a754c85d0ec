// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Node builds a Ready node.
type Node struct {
	// Name is NodeName by default, UID what UID makes of the name.
	Name string
	UID  types.UID
	// ResourceVersion is for nodes that no Server stores.
	ResourceVersion string
	Unschedulable   bool
	// Taints are the keys of taints with the effect NoSchedule.
	Taints []string
	// Labels are added to zone=a.
	Labels map[string]string
	// HoldsNote is the value of v1beta1.HoldsAnnotation; empty: the node does not have it.
	HoldsNote string
	// Change makes a last change.
	Change func(*corev1.Node)
}

// Object is the node.
func (n Node) Object() *corev1.Node {
	name := cmp.Or(n.Name, NodeName)
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, UID: cmp.Or(n.UID, UID(name)), ResourceVersion: n.ResourceVersion,
			Labels: map[string]string{"zone": "a"},
		},
		Spec: corev1.NodeSpec{Unschedulable: n.Unschedulable},
		Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
	for _, key := range n.Taints {
		Taint(key)(node)
	}
	for key, value := range n.Labels {
		node.Labels[key] = value
	}
	if n.HoldsNote != "" {
		node.Annotations = map[string]string{v1beta1.HoldsAnnotation: n.HoldsNote}
	}
	return changed(node, n.Change)
}

// Cordon makes a node unschedulable, as a person does.
func Cordon(node *corev1.Node) { node.Spec.Unschedulable = true }

// Uncordon makes a node schedulable, as a person does.
func Uncordon(node *corev1.Node) { node.Spec.Unschedulable = false }

// Taint adds a taint with the effect NoSchedule.
func Taint(key string) func(*corev1.Node) {
	return func(node *corev1.Node) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
	}
}
