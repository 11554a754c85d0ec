// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// launcherLabel and launcherValue mark the pods that run virtual machines.
	launcherLabel, launcherValue = "kubevirt.io", "virt-launcher"
	// domainAnnotation of such a pod names its VirtualMachineInstance.
	domainAnnotation = "kubevirt.io/domain"
	// machineKind is the kind of the controller of such a pod.
	machineKind = "VirtualMachineInstance"
)

// IsLauncher says whether the pod runs a virtual machine of KubeVirt.
func IsLauncher(pod *corev1.Pod) bool { return pod.Labels[launcherLabel] == launcherValue }

// machineOf names the VirtualMachineInstance of the pod. The UID is empty if the pod does not tell it.
func machineOf(pod *corev1.Pod) (types.NamespacedName, types.UID) {
	name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Annotations[domainAnnotation]}
	owner := metav1.GetControllerOf(pod)
	if owner == nil || owner.Kind != machineKind || !strings.HasPrefix(owner.APIVersion, group+"/") {
		return name, ""
	}
	name.Name = owner.Name
	return name, owner.UID
}
