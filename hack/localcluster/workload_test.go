// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// kindsOf counts the objects of a workload by kind.
func kindsOf(t *testing.T, w *Workload) map[string]int {
	t.Helper()
	count := map[string]int{}
	for _, object := range w.objects {
		u, err := toUnstructured(object)
		if err != nil {
			t.Fatal(err)
		}
		if u.GetNamespace() != w.namespace {
			t.Errorf("got %s %s in namespace %q, want %q", u.GetKind(), u.GetName(), u.GetNamespace(), w.namespace)
		}
		if _, found := u.Object["status"]; found {
			t.Errorf("%s %s is applied with a status", u.GetKind(), u.GetName())
		}
		count[u.GetKind()]++
	}
	return count
}

func TestWorkloadKinds(t *testing.T) {
	c := &Cluster{}
	for name, tc := range map[string]struct {
		workload *Workload
		want     map[string]int
	}{
		"demo": {c.Demo(5), map[string]int{"Deployment": 1, "StatefulSet": 1, "DaemonSet": 1, "Job": 1, "Pod": 1, "PodDisruptionBudget": 2}},
		"load": {
			c.Load(3, Load{Deployments: 2, StatefulSets: 1, DaemonSets: 1, Jobs: 2, Pods: 4, MirrorPods: 2, Replicas: 3, MaxUnavailable: "1"}),
			map[string]int{"Deployment": 2, "StatefulSet": 1, "DaemonSet": 1, "Job": 2, "Pod": 4 + 2*3, "PodDisruptionBudget": 3},
		},
		"load without budgets": {c.Load(3, Load{Deployments: 2}), map[string]int{"Deployment": 2}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, kindsOf(t, tc.workload)); diff != "" {
				t.Errorf("objects differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPodOptions(t *testing.T) {
	pod := (&Cluster{}).Workload("n").Pod("p",
		ReadyDelay(1500*time.Millisecond), TerminationDelay(2*time.Second), CompleteAfter(time.Minute), Unready(),
		GracePeriod(5), OnNode("node-1"), NodeSelector("disk", "ssd"), Tolerate("medik8s.io/drain"),
		Label("team", "a"), Finalizer("example.com/hold"), EmptyDir(),
	).objects[0].(*corev1.Pod)
	wantAnnotations := map[string]string{
		ReadyDelayAnnotation: "1.5s", TerminationDelayAnnotation: "2s", CompleteAfterAnnotation: "1m0s", UnreadyAnnotation: "true",
	}
	if diff := cmp.Diff(wantAnnotations, pod.Annotations); diff != "" {
		t.Errorf("annotations differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{AppLabel: "p", "team": "a"}, pod.Labels); diff != "" {
		t.Errorf("labels differ (-want +got):\n%s", diff)
	}
	spec := pod.Spec
	if *spec.TerminationGracePeriodSeconds != 5 || spec.NodeName != "node-1" || spec.NodeSelector["disk"] != "ssd" {
		t.Errorf("got spec %+v", spec)
	}
	if spec.Tolerations[0].Key != "medik8s.io/drain" || spec.Volumes[0].EmptyDir == nil || pod.Finalizers[0] != "example.com/hold" {
		t.Errorf("got tolerations %v, volumes %v, finalizers %v", spec.Tolerations, spec.Volumes, pod.Finalizers)
	}
}

func TestMirrorPod(t *testing.T) {
	pod := (&Cluster{}).Workload("n").MirrorPod("static", "node-1").objects[0].(*corev1.Pod)
	if pod.Name != "static-node-1" || pod.Spec.NodeName != "node-1" || pod.Annotations[corev1.MirrorPodAnnotationKey] == "" {
		t.Errorf("got pod %s on %q with annotations %v, want a mirror pod", pod.Name, pod.Spec.NodeName, pod.Annotations)
	}
}

func TestBudget(t *testing.T) {
	w := (&Cluster{}).Workload("n").
		Budget("web", MaxUnavailable("25%")).
		Budget("web", BudgetName("second"), MinAvailable("2"), UnhealthyPods(policyv1.AlwaysAllow))
	first, second := w.objects[0].(*policyv1.PodDisruptionBudget), w.objects[1].(*policyv1.PodDisruptionBudget)
	if first.Name != "web" || first.Spec.MaxUnavailable.String() != "25%" || first.Spec.MinAvailable != nil {
		t.Errorf("got budget %+v", first)
	}
	if second.Name != "second" || second.Spec.MinAvailable.IntValue() != 2 || *second.Spec.UnhealthyPodEvictionPolicy != policyv1.AlwaysAllow {
		t.Errorf("got budget %+v", second)
	}
	for _, budget := range []*policyv1.PodDisruptionBudget{first, second} {
		if budget.Spec.Selector.MatchLabels[AppLabel] != "web" {
			t.Errorf("got selector %v of budget %s, want the one of web", budget.Spec.Selector, budget.Name)
		}
	}
}

func TestJobReady(t *testing.T) {
	for name, tc := range map[string]struct {
		status batchv1.JobStatus
		want   bool
	}{
		"new":                     {},
		"one of two is ready":     {status: batchv1.JobStatus{Ready: new(int32(1))}},
		"both are ready":          {status: batchv1.JobStatus{Ready: new(int32(2))}, want: true},
		"one ready, one finished": {status: batchv1.JobStatus{Ready: new(int32(1)), Succeeded: 1}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			job := &batchv1.Job{Spec: batchv1.JobSpec{Completions: new(int32(2))}, Status: tc.status}
			if got := jobReady(job); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestBudgetReady(t *testing.T) {
	budget := func(observed int64, healthy, expected int32) *policyv1.PodDisruptionBudget {
		b := &policyv1.PodDisruptionBudget{}
		b.Generation = 2
		b.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: observed, CurrentHealthy: healthy, ExpectedPods: expected}
		return b
	}
	for name, tc := range map[string]struct {
		budget *policyv1.PodDisruptionBudget
		want   bool
	}{
		"new":              {budget: budget(0, 0, 0)},
		"no pods yet":      {budget: budget(2, 0, 0)},
		"pods not healthy": {budget: budget(2, 1, 3)},
		"of an older spec": {budget: budget(1, 3, 3)},
		"all healthy":      {budget: budget(2, 3, 3), want: true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := budgetReady(tc.budget); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}
