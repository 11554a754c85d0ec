// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package story

import (
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// toldConditions of a node are about its maintenance, or may be why there is one.
var toldConditions = []string{"DrainInProgress", "Drained", "MaintenanceInProgress", string(corev1.NodeReady)}

// Node tells of a node in maintenance.
func (s *Story) Node(node *corev1.Node) {
	s.nodes[node.Name] = stateOf(node)
	for i := range node.Status.Conditions {
		c := &node.Status.Conditions[i]
		if slices.Contains(toldConditions, string(c.Type)) {
			s.add(entry{
				at: c.LastTransitionTime.Time, node: node.Name, source: fromNode,
				text: fmt.Sprintf("%s became %s", c.Type, condition(string(c.Status), c.Reason, c.Message)),
			})
		}
	}
	for i := range node.Spec.Taints {
		if taint := &node.Spec.Taints[i]; taint.TimeAdded != nil {
			s.add(entry{at: taint.TimeAdded.Time, node: node.Name, source: fromNode, text: "got the taint " + taint.ToString()})
		}
	}
	s.writers(node.Name, "", "the node", node.CreationTimestamp, node.ManagedFields)
}

func stateOf(node *corev1.Node) string {
	state := "can be scheduled to"
	if node.Spec.Unschedulable {
		state = "cordoned"
	}
	for _, taint := range node.Spec.Taints {
		if taint.Key == v1beta1.DrainTaint {
			state += ", has the taint " + taint.ToString()
		}
	}
	return state
}

// Pod tells that a pod of a node is on its way out, and since when.
func (s *Story) Pod(pod *corev1.Pod) {
	name := pod.Namespace + "/" + pod.Name
	s.podNode[pod.UID] = pod.Spec.NodeName
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			s.add(entry{at: c.LastTransitionTime.Time, node: pod.Spec.NodeName, source: fromPod, text: fmt.Sprintf("%s is to go: %s", name, c.Reason)})
		}
	}
	if pod.DeletionTimestamp == nil {
		return
	}
	var grace int64
	if pod.DeletionGracePeriodSeconds != nil {
		grace = *pod.DeletionGracePeriodSeconds
	}
	s.add(entry{
		at: pod.DeletionTimestamp.Add(-time.Duration(grace) * time.Second), node: pod.Spec.NodeName, source: fromPod,
		text: fmt.Sprintf("%s began to terminate, with %d s to do so, and is still there", name, grace),
	})
}

// Lease tells who has a lease of a node.
func (s *Story) Lease(node string, lease *coordinationv1.Lease) {
	if lease.Spec.AcquireTime == nil || lease.Spec.HolderIdentity == nil {
		return
	}
	text := fmt.Sprintf("%s took the lease %s/%s", *lease.Spec.HolderIdentity, lease.Namespace, lease.Name)
	if renewed := lease.Spec.RenewTime; renewed != nil {
		text += ", and last renewed it at " + renewed.UTC().Format(time.DateTime)
	}
	s.add(entry{at: lease.Spec.AcquireTime.Time, node: node, source: fromLease, text: text})
}
