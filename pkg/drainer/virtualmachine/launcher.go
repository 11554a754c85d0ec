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
	// diskValue is the label's value of pods that hold disks for a launcher, which is their controller.
	diskValue = "hotplug-disk"
	// machineKind is the kind of a launcher's controller.
	machineKind = "VirtualMachineInstance"
)

// IsLauncher says whether the pod runs a virtual machine of KubeVirt. The label alone does not make it one:
// anybody may set it on any pod.
func IsLauncher(pod *corev1.Pod) bool {
	return pod.Labels[launcherLabel] == launcherValue && IsMachine(metav1.GetControllerOf(pod))
}

// IsMachine says whether the owner of an object is a VirtualMachineInstance. The owner may be nil.
func IsMachine(owner *metav1.OwnerReference) bool {
	return owner != nil && owner.Kind == machineKind && strings.HasPrefix(owner.APIVersion, group+"/")
}

// LauncherOf is the UID of the pod that the pod carries the disks of. It is empty if the pod has no disks
// that were plugged into a running machine.
func LauncherOf(pod *corev1.Pod) types.UID {
	if owner := metav1.GetControllerOf(pod); owner != nil && owner.Kind == "Pod" && pod.Labels[launcherLabel] == diskValue {
		return owner.UID
	}
	return ""
}

// IsWebhook says whether the webhook of the name is one of KubeVirt's.
func IsWebhook(name string) bool { return strings.HasSuffix(name, "."+group) }

// machineOf names the VirtualMachineInstance of a launcher.
func machineOf(launcher *corev1.Pod) (types.NamespacedName, types.UID) {
	owner := metav1.GetControllerOf(launcher)
	return types.NamespacedName{Namespace: launcher.Namespace, Name: owner.Name}, owner.UID
}
