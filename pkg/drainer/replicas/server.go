// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// sharedLabels are those by which replicas know each other. They stay the same over a rollout, when the
// pods of an old and a new ReplicaSet exist at the same time: the selector of a Deployment cannot change.
// The component tells replicas from the pods of jobs that the same chart brings.
var sharedLabels = []string{"app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/component"}

// Server says which pods run this server. The zero value knows of none: the process runs in no pod of the
// cluster. Use Of.
type Server struct {
	// Pod is the pod of this process.
	Pod types.NamespacedName

	// labels are those of the sharedLabels that the pod has.
	labels labels.Set
	// kind is that of the pod's controller; controller names it, for people. Empty: it has none.
	kind, controller string
}

// Of returns the server that runs in a pod. Its replicas are the pods of the same namespace that have the
// same labels app.kubernetes.io/name, /instance and /component and a controller of the same kind. A pod
// without such labels has no other replicas.
func Of(pod *corev1.Pod) Server {
	s := Server{Pod: types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, labels: shared(pod), kind: kindOf(pod)}
	if owner := metav1.GetControllerOf(pod); owner != nil {
		s.controller = fmt.Sprintf("%s %s", owner.Kind, owner.Name)
		if name, ofDeployment := strings.CutSuffix(owner.Name, "-"+pod.Labels["pod-template-hash"]); ofDeployment && owner.Kind == "ReplicaSet" {
			s.controller = "Deployment " + name
		}
	}
	return s
}

// Runs says whether the pod runs this server. One that has finished runs nothing.
func (s Server) Runs(pod *corev1.Pod) bool {
	switch {
	case s.Pod.Name == "" || pod.Namespace != s.Pod.Namespace || finished(pod):
		return false
	case pod.Name == s.Pod.Name:
		return true
	default:
		return len(s.labels) > 0 && kindOf(pod) == s.kind && maps.Equal(shared(pod), s.labels)
	}
}

// IsThisProcess says whether this process runs in the pod.
func (s Server) IsThisProcess(pod *corev1.Pod) bool {
	return s.Runs(pod) && pod.Name == s.Pod.Name
}

// Controller is what sets the number of replicas, as its kind and name; empty when nothing does.
func (s Server) Controller() string { return s.controller }

// Selector selects the pods that may be replicas, by their labels; empty: there are no other ones.
func (s Server) Selector() string { return s.labels.String() }

// runsAny says whether one of the pods runs this server.
func (s Server) runsAny(pods []*corev1.Pod) bool { return slices.ContainsFunc(pods, s.Runs) }

func finished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

func shared(pod *corev1.Pod) labels.Set {
	set := labels.Set{}
	for _, name := range sharedLabels {
		if value, found := pod.Labels[name]; found {
			set[name] = value
		}
	}
	return set
}

func kindOf(pod *corev1.Pod) string {
	if owner := metav1.GetControllerOf(pod); owner != nil {
		return owner.Kind
	}
	return ""
}
