// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package machineapi defines the kinds of OpenShift's Machine API and of Cluster API in a cluster, for tests: as the two
// projects define them, from their Go modules.
package machineapi

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	read, err := openShift.definitions(ctx)
	if err != nil {
		return err
	}
	return install(ctx, client, read)
}

// InstallClusterAPI defines the kinds of Cluster API in the versions alone, and returns when they are served. The last one
// is stored. Older releases serve v1beta1, and newer ones v1beta1 and v1beta2.
//
// In a real cluster, a webhook of Cluster API converts objects between the versions. Here, the API server changes nothing
// but the apiVersion: who reads an object in another version than it was written in misses the fields that the other
// version has elsewhere, or not at all. So have a test write in the version that is preferred: the newest.
func InstallClusterAPI(ctx context.Context, client dynamic.Interface, versions ...string) error {
	read, err := clusterAPI.definitions(ctx)
	if err != nil {
		return err
	}
	for _, definition := range read {
		if err := keepVersions(definition, versions); err != nil {
			return err
		}
	}
	return install(ctx, client, read)
}

// keepVersions has the definition serve these versions alone, and store the last one.
func keepVersions(definition *unstructured.Unstructured, names []string) error {
	var kept []any
	for _, version := range versionsOf(definition) {
		name, _ := version["name"].(string)
		if slices.Contains(names, name) {
			version["served"], version["storage"] = true, name == names[len(names)-1]
			if version["storage"] == true {
				delete(version, "deprecated") // it was not while there was no newer one
			}
			kept = append(kept, version)
		}
	}
	if len(kept) != len(names) {
		return fmt.Errorf("%s does not have all of the versions %v", definition.GetName(), names)
	}
	return unstructured.SetNestedSlice(definition.Object, kept, "spec", "versions")
}

func versionsOf(definition *unstructured.Unstructured) (versions []map[string]any) {
	all, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	for _, version := range all {
		if version, is := version.(map[string]any); is {
			versions = append(versions, version)
		}
	}
	return versions
}

var definitions = resource("apiextensions.k8s.io", "v1", "customresourcedefinitions")

func install(ctx context.Context, client dynamic.Interface, all []*unstructured.Unstructured) error {
	for _, definition := range all {
		_, err := client.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("could not define %s: %w", definition.GetName(), err)
		}
	}
	for _, definition := range all {
		if err := waitUntilServed(ctx, client, definition); err != nil {
			return fmt.Errorf("could not use %s: %w", definition.GetName(), err)
		}
	}
	return nil
}

// waitUntilServed waits until each version can be listed.
func waitUntilServed(ctx context.Context, client dynamic.Interface, definition *unstructured.Unstructured) error {
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "plural")
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		for _, version := range versionsOf(definition) {
			name, _ := version["name"].(string)
			if _, err := client.Resource(resource(group, name, plural)).List(ctx, metav1.ListOptions{}); err != nil {
				return false, nil //nolint:nilerr // It is not served yet.
			}
		}
		return true, nil
	})
}
