// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

func etcdBudget(name string, allowed int32) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: etcdNamespace, Name: name},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: drainertest.AppSelector("guard")},
		Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed},
	}
}

// guardPod is a pod on a node whose condition Ready has that status; empty: it has none.
func guardPod(app, node string, ready corev1.ConditionStatus) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: etcdNamespace, Name: app + "-" + node, Labels: map[string]string{"app": app}},
		Spec:       corev1.PodSpec{NodeName: node},
	}
	if ready != "" {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, {Type: corev1.PodReady, Status: ready}}
	}
	return pod
}

func TestEtcdOfOpenShift(t *testing.T) {
	const healthy = "etcd would lose its quorum: the disruption budget openshift-etcd/etcd-guard-pdb allows 0 disruptions, " +
		"and its pod guard-cp-1 on the node is healthy"
	tests := map[string]struct {
		budgets []*policyv1.PodDisruptionBudget
		pods    []*corev1.Pod
		want    string
	}{
		"no budget":   {want: "namespace openshift-etcd must have one disruption budget for etcd, and has 0"},
		"two budgets": {budgets: []*policyv1.PodDisruptionBudget{etcdBudget("a", 1), etcdBudget("b", 1)}, want: "namespace openshift-etcd must have one disruption budget for etcd, and has 2"},
		"a disruption is allowed": {
			budgets: []*policyv1.PodDisruptionBudget{etcdBudget("etcd-guard-pdb", 1)}, pods: []*corev1.Pod{guardPod("guard", "cp-1", corev1.ConditionTrue)},
		},
		"its guard is ready":       {budgets: []*policyv1.PodDisruptionBudget{etcdBudget("etcd-guard-pdb", 0)}, pods: []*corev1.Pod{guardPod("guard", "cp-1", corev1.ConditionTrue)}, want: healthy},
		"its guard is not known":   {budgets: []*policyv1.PodDisruptionBudget{etcdBudget("etcd-guard-pdb", 0)}, pods: []*corev1.Pod{guardPod("guard", "cp-1", corev1.ConditionUnknown)}, want: healthy},
		"its guard has failed":     {budgets: []*policyv1.PodDisruptionBudget{etcdBudget("etcd-guard-pdb", 0)}, pods: []*corev1.Pod{guardPod("guard", "cp-1", corev1.ConditionFalse)}},
		"its guard says nothing":   {budgets: []*policyv1.PodDisruptionBudget{etcdBudget("etcd-guard-pdb", 0)}, pods: []*corev1.Pod{guardPod("guard", "cp-1", "")}},
		"its guard is elsewhere":   {budgets: []*policyv1.PodDisruptionBudget{etcdBudget("etcd-guard-pdb", 0)}, pods: []*corev1.Pod{guardPod("guard", "cp-2", corev1.ConditionTrue)}},
		"another pod on its node":  {budgets: []*policyv1.PodDisruptionBudget{etcdBudget("etcd-guard-pdb", 0)}, pods: []*corev1.Pod{guardPod("etcd", "cp-1", corev1.ConditionTrue)}},
		"there is no guard at all": {budgets: []*policyv1.PodDisruptionBudget{etcdBudget("etcd-guard-pdb", 0)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := drainertest.NewServer(drainertest.Hooks{})
			server.Add(drainertest.Node{Name: "cp-1"}.Object(), drainertest.Node{Name: "cp-2"}.Object())
			for _, budget := range test.budgets {
				server.Add(budget)
			}
			for _, pod := range test.pods {
				server.Add(pod)
			}
			got, err := (&etcd{kube: server.Kube}).objection(t.Context(), "cp-1")
			if err != nil || got != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

// What cannot be read is an error, and says nothing of etcd.
func TestEtcdThatCannotBeRead(t *testing.T) {
	for _, resource := range []string{"poddisruptionbudgets", "pods"} {
		t.Run(resource, func(t *testing.T) {
			server := drainertest.NewServer(drainertest.Hooks{})
			server.Add(etcdBudget("etcd-guard-pdb", 0))
			server.Inject(drainertest.Failing("list", resource, drainertest.NotYou(resource)))
			got, err := (&etcd{kube: server.Kube}).objection(t.Context(), "cp-1")
			if got != "" || err == nil || !strings.Contains(err.Error(), "could not list") {
				t.Errorf("got %q, %v, want an error", got, err)
			}
		})
	}
}

// Where the cluster is no OpenShift, nothing is asked.
func TestNoOpenShiftIsNotAsked(t *testing.T) {
	kube := kubefake.NewSimpleClientset()
	kube.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		t.Errorf("%s %s was asked for", action.GetVerb(), action.GetResource().Resource)
		return false, nil, nil
	})
	if got, err := New(nil, kube, false).etcd.objection(t.Context(), "cp-1"); got != "" || err != nil {
		t.Errorf("got %q, %v, want nothing", got, err)
	}
}
