// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	testNode    = "worker-1"
	testStoreID = "store-1"
)

func ptrTo[T any](value T) *T { return &value }

// makeNode builds a Ready node whose UID is "uid-" and its name.
func makeNode(name string, change ...func(*corev1.Node)) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), Labels: map[string]string{"zone": "a"}},
		Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
	for _, c := range change {
		c(node)
	}
	return node
}

func unschedulable(node *corev1.Node) { node.Spec.Unschedulable = true }

func tainted(key string) func(*corev1.Node) {
	return func(node *corev1.Node) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
	}
}

func labelled(key, value string) func(*corev1.Node) {
	return func(node *corev1.Node) { node.Labels[key] = value }
}

// makePod builds a running, ready, managed pod on testNode whose label app is its namespace's
// and whose UID is "uid-" and its name.
func makePod(name string, change ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID("uid-" + name), Labels: map[string]string{"app": "web"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", Controller: ptrTo(true)}},
		},
		Spec: corev1.PodSpec{NodeName: testNode},
		Status: corev1.PodStatus{
			Phase:      corev1.PodRunning,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		},
	}
	for _, c := range change {
		c(pod)
	}
	return pod
}

func app(value string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Labels["app"] = value }
}

func inNamespace(namespace string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Namespace = namespace }
}

func gracePeriodOf(seconds int64) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Spec.TerminationGracePeriodSeconds = &seconds }
}

func on(node string) func(*corev1.Pod) { return func(pod *corev1.Pod) { pod.Spec.NodeName = node } }

func inPhase(phase corev1.PodPhase) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Status.Phase = phase }
}

func notReady(pod *corev1.Pod) { pod.Status.Conditions[0].Status = corev1.ConditionFalse }

func mirror(pod *corev1.Pod) {
	pod.OwnerReferences = nil
	pod.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
}

func ownedBy(kind, name string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: kind, Name: name, Controller: ptrTo(true)}}
	}
}

func terminatingAt(end time.Time) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.DeletionTimestamp = ptrTo(metav1.NewTime(end)) }
}

func finalized(finalizer string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Finalizers = append(pod.Finalizers, finalizer) }
}

// makeBudget builds a budget in namespace default for the pods of one app, with a current status.
func makeBudget(name, appLabel string, desired, healthy, expected, allowed int32, change ...func(*policyv1.PodDisruptionBudget)) *policyv1.PodDisruptionBudget {
	pdb := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name), Generation: 1, ResourceVersion: "1"},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": appLabel}}},
		Status: policyv1.PodDisruptionBudgetStatus{
			ObservedGeneration: 1, DesiredHealthy: desired, CurrentHealthy: healthy, ExpectedPods: expected, DisruptionsAllowed: allowed,
		},
	}
	for _, c := range change {
		c(pdb)
	}
	return pdb
}

// makeHold builds a hold of stage Drain on testNode as the registry stores it.
func makeHold(name string, change ...func(*v1beta1.NodeMaintenance)) *v1beta1.NodeMaintenance {
	hold := &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, UID: types.UID("uid-" + name), Generation: 1, Finalizers: []string{v1beta1.UncordonFinalizer},
		},
		Spec: v1beta1.NodeMaintenanceSpec{NodeName: testNode, Requestor: name, Reason: "kernel", Stage: v1beta1.StageDrain},
	}
	for _, c := range change {
		c(hold)
	}
	return hold
}

func stage(s v1beta1.MaintenanceStage) func(*v1beta1.NodeMaintenance) {
	return func(hold *v1beta1.NodeMaintenance) { hold.Spec.Stage = s }
}

func forNode(node string) func(*v1beta1.NodeMaintenance) {
	return func(hold *v1beta1.NodeMaintenance) { hold.Spec.NodeName = node }
}

func selecting(appLabel string) func(*v1beta1.NodeMaintenance) {
	return func(hold *v1beta1.NodeMaintenance) {
		hold.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": appLabel}}
	}
}

func grace(seconds int64) func(*v1beta1.NodeMaintenance) {
	return func(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.GracePeriodSeconds = &seconds }
}

func timeout(seconds int64) func(*v1beta1.NodeMaintenance) {
	return func(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.TimeoutSeconds = &seconds }
}

func released(hold *v1beta1.NodeMaintenance) {
	hold.DeletionTimestamp = ptrTo(metav1.NewTime(time.Unix(1, 0)))
}

func metav1Now() metav1.Time { return metav1.NewTime(epoch) }
