// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// cordonedNode is a node in maintenance: with the taints of spec.unschedulable and of our mark.
func cordonedNode() *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "w-1", UID: "w-1", Labels: map[string]string{"pool": "web"}},
		Spec: corev1.NodeSpec{Unschedulable: true, Taints: []corev1.Taint{
			{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule},
			{Key: v1beta1.DrainTaint, Effect: corev1.TaintEffectNoSchedule},
			{Key: "soft", Effect: corev1.TaintEffectPreferNoSchedule},
		}},
	}
}

// daemonSet returns a DaemonSet whose pods tolerate every taint.
func daemonSet(change func(*appsv1.DaemonSet)) *appsv1.DaemonSet {
	set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "cni", UID: "cni"}}
	set.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	if change != nil {
		change(set)
	}
	return set
}

// podOf returns a ready pod of the DaemonSet cni on the node.
func podOf(change func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "cni-x", OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "cni", UID: "cni", Controller: ptr.To(true)},
		}},
		Spec:   corev1.PodSpec{NodeName: "w-1"},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
	if change != nil {
		change(pod)
	}
	return pod
}

func unready(pod *corev1.Pod) { pod.Status.Conditions = nil }

func TestLacking(t *testing.T) {
	const none, notReady = "kube-system/cni (no pod on the node)", "kube-system/cni (its pod is not ready)"
	tolerating := func(keys ...string) func(*appsv1.DaemonSet) {
		return func(set *appsv1.DaemonSet) {
			set.Spec.Template.Spec.Tolerations = nil
			for _, key := range keys {
				set.Spec.Template.Spec.Tolerations = append(set.Spec.Template.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
			}
		}
	}
	tests := map[string]struct {
		set   func(*appsv1.DaemonSet)
		node  func(*corev1.Node)
		pods  []*corev1.Pod
		wants []string
	}{
		"a ready pod":                {pods: []*corev1.Pod{podOf(nil)}},
		"no pod":                     {wants: []string{none}},
		"a pod that is not ready":    {pods: []*corev1.Pod{podOf(unready)}, wants: []string{notReady}},
		"an old one and a ready one": {pods: []*corev1.Pod{podOf(unready), podOf(nil)}},
		"a pod that goes": {
			pods: []*corev1.Pod{podOf(func(p *corev1.Pod) { p.DeletionTimestamp = ptr.To(metav1.NewTime(time.Now())) })}, wants: []string{none},
		},
		"a pod that has failed": {pods: []*corev1.Pod{podOf(func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed })}, wants: []string{none}},
		"a pod of a former one": {
			pods: []*corev1.Pod{podOf(func(p *corev1.Pod) { p.OwnerReferences[0].UID = types.UID("old") })}, wants: []string{none},
		},
		"it is being deleted": {set: func(s *appsv1.DaemonSet) { s.DeletionTimestamp = ptr.To(metav1.NewTime(time.Now())) }},
		"it does not select the node": {
			set: func(s *appsv1.DaemonSet) { s.Spec.Template.Spec.NodeSelector = map[string]string{"pool": "db"} },
		},
		"it selects the node": {
			set: func(s *appsv1.DaemonSet) { s.Spec.Template.Spec.NodeSelector = map[string]string{"pool": "web"} }, wants: []string{none},
		},
		"it names another node": {set: func(s *appsv1.DaemonSet) { s.Spec.Template.Spec.NodeName = "w-2" }},
		"its affinity is for other nodes": {set: func(s *appsv1.DaemonSet) {
			s.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "pool", Operator: corev1.NodeSelectorOpIn, Values: []string{"db"}}},
				}}},
			}}
		}},
		// Otherwise the node would wait for a pod that comes only after the give-back.
		"it does not tolerate our mark":             {set: tolerating()},
		"it does not, but its pod is there":         {set: tolerating(), pods: []*corev1.Pod{podOf(unready)}, wants: []string{notReady}},
		"it tolerates our mark, and not the cordon": {set: tolerating(v1beta1.DrainTaint), wants: []string{none}},
		"it does not tolerate a taint of others": {
			set: tolerating(v1beta1.DrainTaint), node: func(n *corev1.Node) {
				n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "gpu", Effect: corev1.TaintEffectNoExecute})
			},
		},
		"the node is not ready": {
			set: tolerating(v1beta1.DrainTaint), node: func(n *corev1.Node) {
				n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute})
			}, wants: []string{none},
		},
		"the network is not there": {
			set: tolerating(v1beta1.DrainTaint), node: func(n *corev1.Node) {
				n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeNetworkUnavailable, Effect: corev1.TaintEffectNoSchedule})
			},
		},
		"the network is not there, and it makes it": {
			set: func(s *appsv1.DaemonSet) {
				tolerating(v1beta1.DrainTaint)(s)
				s.Spec.Template.Spec.HostNetwork = true
			}, node: func(n *corev1.Node) {
				n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeNetworkUnavailable, Effect: corev1.TaintEffectNoSchedule})
			}, wants: []string{none},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			node := cordonedNode()
			if test.node != nil {
				test.node(node)
			}
			if got := lacking([]*appsv1.DaemonSet{daemonSet(test.set)}, test.pods, node); !slices.Equal(got, test.wants) {
				t.Errorf("%q, want %q", got, test.wants)
			}
		})
	}
}
