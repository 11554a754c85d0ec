// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package machineapi defines the kinds of OpenShift's Machine API and of Cluster API in a cluster, for tests: with their
// groups, versions, names and subresources, and with any fields.
package machineapi

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// ControlPlaneGroup is the group of Cluster API's kinds for control planes.
const ControlPlaneGroup = "controlplane.cluster.x-k8s.io"

// The resources of OpenShift.
var (
	OpenShiftMachines      = resource(v1beta1.OpenShiftMachineGroup, "v1beta1", "machines")
	OpenShiftMachineSets   = resource(v1beta1.OpenShiftMachineGroup, "v1beta1", "machinesets")
	OpenShiftControlPlanes = resource(v1beta1.OpenShiftMachineGroup, "v1", "controlplanemachinesets")
)

// Machines are the machines of Cluster API in a version.
func Machines(version string) schema.GroupVersionResource {
	return resource(v1beta1.ClusterAPIGroup, version, "machines")
}

// MachineSets are the sets of Cluster API in a version.
func MachineSets(version string) schema.GroupVersionResource {
	return resource(v1beta1.ClusterAPIGroup, version, "machinesets")
}

// MachineDeployments are the deployments of Cluster API in a version.
func MachineDeployments(version string) schema.GroupVersionResource {
	return resource(v1beta1.ClusterAPIGroup, version, "machinedeployments")
}

// KubeadmControlPlanes are the control planes of Cluster API in a version.
func KubeadmControlPlanes(version string) schema.GroupVersionResource {
	return resource(ControlPlaneGroup, version, "kubeadmcontrolplanes")
}

func resource(group, version, name string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: name}
}

// InstallOpenShift defines the kinds of OpenShift's Machine API, and returns when they are served.
func InstallOpenShift(ctx context.Context, client dynamic.Interface) error {
	return install(ctx, client, []kind{
		{resource: OpenShiftMachines, name: "Machine", versions: []string{"v1beta1"}},
		{resource: OpenShiftMachineSets, name: "MachineSet", versions: []string{"v1beta1"}, scale: true},
		{resource: OpenShiftControlPlanes, name: "ControlPlaneMachineSet", versions: []string{"v1"}, scale: true},
	})
}

// InstallClusterAPI defines the kinds of Cluster API in the versions, such as v1beta1 and v1beta2, and returns when they
// are served. The last one is stored.
func InstallClusterAPI(ctx context.Context, client dynamic.Interface, versions ...string) error {
	last := versions[len(versions)-1]
	return install(ctx, client, []kind{
		{resource: Machines(last), name: "Machine", versions: versions, short: "ma"},
		{resource: MachineSets(last), name: "MachineSet", versions: versions, short: "ms", scale: true},
		{resource: MachineDeployments(last), name: "MachineDeployment", versions: versions, short: "md", scale: true},
		{resource: KubeadmControlPlanes(last), name: "KubeadmControlPlane", versions: versions, short: "kcp", scale: true},
	})
}

func install(ctx context.Context, client dynamic.Interface, kinds []kind) error {
	for _, kind := range kinds {
		_, err := client.Resource(definitions).Create(ctx, kind.definition(), metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("could not define %s: %w", kind.name, err)
		}
	}
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		for _, kind := range kinds {
			if _, err := client.Resource(kind.resource).List(ctx, metav1.ListOptions{}); err != nil {
				return false, nil //nolint:nilerr // It is not served yet.
			}
		}
		return true, nil
	})
}
