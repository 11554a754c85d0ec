// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package returns

import (
	"cmp"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// owner names what makes the pod, as kind/namespace/name. For the ReplicaSet of a Deployment it is the
// Deployment: a rollout changes the ReplicaSet, and is no new beginning. Who makes a pod without an owner is
// not known: all such pods of one name, or of one generateName, are taken to be made by the same.
func owner(pod *corev1.Pod) string {
	controller := metav1.GetControllerOf(pod)
	if controller == nil && len(pod.OwnerReferences) > 0 {
		controller = &pod.OwnerReferences[0]
	}
	if controller == nil {
		return "Pod/" + pod.Namespace + "/" + cmp.Or(pod.GenerateName, pod.Name)
	}
	kind, name := controller.Kind, controller.Name
	if hash := pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey]; hash != "" && kind == "ReplicaSet" {
		if deployment, named := strings.CutSuffix(name, "-"+hash); named {
			kind, name = "Deployment", deployment
		}
	}
	return kind + "/" + pod.Namespace + "/" + name
}
