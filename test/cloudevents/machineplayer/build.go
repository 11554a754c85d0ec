// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machineplayer

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The kinds that both APIs have, and Cluster API's MachineDeployment. Others are control planes.
const (
	machineKind    = "Machine"
	setKind        = "MachineSet"
	deploymentKind = "MachineDeployment"
)

const (
	// clusterName is the cluster that all objects belong to.
	clusterName = "played"
	// ownerLabel is on the machines of an owner.
	ownerLabel = "machineplayer.test/owner"
	// planeVersion is the version of Kubernetes that control planes have.
	planeVersion = "v1.37.0"
)

// Owner is what keeps machines: a MachineSet, a MachineDeployment, or of any other kind a control plane. It has replicas,
// and what its definition demands.
func (a API) Owner(kind, name string, replicas int64) *unstructured.Unstructured {
	object := a.object(kind, name)
	switch {
	case kind == setKind || kind == deploymentKind:
		object.Object["spec"] = a.setSpec(name)
	case a.openShift:
		object.Object["spec"] = a.openShiftPlaneSpec()
	default:
		object.Object["spec"] = a.kubeadmPlaneSpec()
	}
	object.Object["spec"].(map[string]any)["replicas"] = replicas
	return object
}

// Machine is a machine of an owner, or of none if that is nil. It has the labels that its owner looks for.
func (a API) Machine(name string, owner *unstructured.Unstructured) *unstructured.Unstructured {
	object := a.object(machineKind, name)
	object.SetFinalizers([]string{Finalizer})
	object.Object["spec"] = a.machineSpec()
	if owner != nil {
		labels, _, _ := unstructured.NestedStringMap(owner.Object, "spec", "selector", "matchLabels")
		object.SetLabels(labels)
		object.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(owner, owner.GroupVersionKind())})
	}
	return object
}

// Running is the status of a machine that is a node. A UID of the node is said where the API has a place for it, unless it
// is empty.
func (a API) Running(node, uid string) map[string]any {
	reference := map[string]any{"name": node}
	if !a.v1beta2 && uid != "" {
		reference["kind"], reference["apiVersion"], reference["uid"] = "Node", "v1", uid
	}
	return map[string]any{"phase": "Running", "nodeRef": reference}
}

// failure is where a machine says why it becomes no node. In v1beta2, that is where v1beta1's fields are kept.
func (a API) failure() []string {
	switch {
	case a.openShift:
		return []string{"status", "errorMessage"}
	case a.v1beta2:
		return []string{"status", "deprecated", "v1beta1", "failureMessage"}
	}
	return []string{"status", "failureMessage"}
}

// failed is the phase of a machine that becomes no node. In v1beta2, it stays in the phase in which it is.
func (a API) failed() string {
	if a.v1beta2 {
		return "Provisioning"
	}
	return "Failed"
}

func (a API) object(kind, name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(a.resource(kind).GroupVersion().WithKind(kind))
	object.SetName(name)
	return object
}

func (a API) resource(kind string) schema.GroupVersionResource {
	switch kind {
	case machineKind:
		return a.machines
	case setKind:
		return a.sets
	case deploymentKind:
		return a.deployments
	}
	return a.controlPlanes
}

// machineSpec is what a machine needs: in Cluster API, a cluster, a way to boot, and a machine of its provider.
func (a API) machineSpec() map[string]any {
	if a.openShift {
		return map[string]any{"providerSpec": map[string]any{"value": map[string]any{"instanceType": "played"}}}
	}
	return map[string]any{
		"clusterName": clusterName, "bootstrap": map[string]any{"dataSecretName": "boot"}, "infrastructureRef": a.infrastructure(),
	}
}

// infrastructure refers to what a provider would make machines of. In v1beta2, such references have no version.
func (a API) infrastructure() map[string]any {
	const group = "infrastructure.cluster.x-k8s.io"
	reference := map[string]any{"kind": "PlayedMachineTemplate", "name": "played"}
	if a.v1beta2 {
		reference["apiGroup"] = group
	} else {
		reference["apiVersion"] = group + "/v1beta1"
	}
	return reference
}

func (a API) setSpec(name string) map[string]any {
	labels := map[string]any{ownerLabel: name}
	spec := map[string]any{
		"selector": map[string]any{"matchLabels": labels},
		"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": a.machineSpec()},
	}
	if !a.openShift {
		spec["clusterName"] = clusterName
	}
	return spec
}

// openShiftPlaneSpec is that of a ControlPlaneMachineSet. There is one in a cluster: its machines are the masters.
func (a API) openShiftPlaneSpec() map[string]any {
	labels := map[string]any{
		"machine.openshift.io/cluster-api-cluster":      clusterName,
		"machine.openshift.io/cluster-api-machine-role": "master",
		"machine.openshift.io/cluster-api-machine-type": "master",
	}
	const machineType = "machines_v1beta1_machine_openshift_io"
	return map[string]any{
		"state": "Active", "selector": map[string]any{"matchLabels": labels},
		"template": map[string]any{
			"machineType": machineType,
			machineType:   map[string]any{"metadata": map[string]any{"labels": labels}, "spec": a.machineSpec()},
		},
	}
}

func (a API) kubeadmPlaneSpec() map[string]any {
	template := map[string]any{"infrastructureRef": a.infrastructure()}
	if a.v1beta2 {
		template = map[string]any{"spec": template}
	}
	spec := map[string]any{"version": planeVersion, "machineTemplate": template}
	if !a.v1beta2 {
		spec["kubeadmConfigSpec"] = map[string]any{}
	}
	return spec
}
