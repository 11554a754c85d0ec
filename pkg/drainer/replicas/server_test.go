// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/replicas"
)

// replica is a pod that runs this server; changes make it differ.
func replica(name string, changes ...func(*corev1.Pod)) *corev1.Pod {
	return drainertest.Pod{Name: name, Change: func(pod *corev1.Pod) {
		drainertest.Replica(pod)
		for _, change := range changes {
			change(pod)
		}
	}}.Object()
}

func label(name, value string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Labels["app.kubernetes.io/"+name] = value }
}

func TestRuns(t *testing.T) {
	bare := func(pod *corev1.Pod) { delete(pod.Labels, "app.kubernetes.io/name") }
	for name, test := range map[string]struct {
		of, pod *corev1.Pod
		want    bool
	}{
		"itself":             {of: replica("a"), pod: replica("a"), want: true},
		"another":            {of: replica("a"), pod: replica("b"), want: true},
		"of the same":        {of: replica("a", label("instance", "x")), pod: replica("b", label("instance", "x")), want: true},
		"of another name":    {of: replica("a"), pod: replica("b", label("name", "other"))},
		"of another release": {of: replica("a", label("instance", "x")), pod: replica("b", label("instance", "y"))},
		"of no release":      {of: replica("a", label("instance", "x")), pod: replica("b")},
		"another component":  {of: replica("a"), pod: replica("b", label("component", "cleanup"))},
		"of a rollout": {
			of: replica("a"),
			pod: replica("b", func(pod *corev1.Pod) {
				pod.OwnerReferences[0].Name, pod.Labels["pod-template-hash"] = "server-77", "77"
			}), want: true,
		},
		"of which one is over": {of: replica("a"), pod: replica("b", func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodFailed })},
		"of a job":             {of: replica("a"), pod: replica("b", func(pod *corev1.Pod) { pod.OwnerReferences[0].Kind = "Job" })},
		"without labels":       {of: replica("a", bare), pod: replica("b", bare)},
		"itself, no labels":    {of: replica("a", bare), pod: replica("a", bare), want: true},
		"in another namespace": {of: replica("a"), pod: replica("a", func(pod *corev1.Pod) { pod.Namespace = "other" })},
	} {
		t.Run(name, func(t *testing.T) {
			if got := replicas.Of(test.of).Runs(test.pod); got != test.want {
				t.Errorf("it runs this server: %t, want %t", got, test.want)
			}
		})
	}
	if none := (replicas.Server{}); none.Runs(&corev1.Pod{}) || none.IsThisProcess(&corev1.Pod{}) {
		t.Error("a process in no pod has a pod")
	}
}

func TestController(t *testing.T) {
	for name, test := range map[string]struct {
		pod  *corev1.Pod
		want string
	}{
		"of a Deployment":  {pod: replica("a"), want: "Deployment server"},
		"of a ReplicaSet":  {pod: replica("a", func(pod *corev1.Pod) { delete(pod.Labels, "pod-template-hash") }), want: "ReplicaSet server-6b8f"},
		"of a StatefulSet": {pod: drainertest.Pod{Name: "a", OwnerKind: "StatefulSet", OwnerName: "s"}.Object(), want: "StatefulSet s"},
		"of nothing":       {pod: drainertest.Pod{Name: "a", Unmanaged: true}.Object()},
	} {
		t.Run(name, func(t *testing.T) {
			if got := replicas.Of(test.pod).Controller(); got != test.want {
				t.Errorf("its controller is %q, want %q", got, test.want)
			}
		})
	}
}
