// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The kinds that are read and written. Cluster API's kinds of control planes are any of their group.
const (
	machineKind           = "Machine"
	machineSetKind        = "MachineSet"
	machineDeploymentKind = "MachineDeployment"
	openShiftControlPlane = "ControlPlaneMachineSet"
	controlPlaneGroup     = "controlplane.cluster.x-k8s.io"
)

// family is what differs between the two machine APIs.
type family struct {
	group string
	// marks are the annotations by which a machine goes first when its set is scaled down. OpenShift's older releases
	// know another one than its newer ones.
	marks []string
	// undrained is the annotation by which a machine's node is not drained before its delete.
	undrained string
}

var families = []family{
	{
		group:     v1beta1.OpenShiftMachineGroup,
		marks:     []string{"machine.openshift.io/delete-machine", "machine.openshift.io/cluster-api-delete-machine"},
		undrained: "machine.openshift.io/exclude-node-draining",
	},
	{
		group:     v1beta1.ClusterAPIGroup,
		marks:     []string{"cluster.x-k8s.io/delete-machine"},
		undrained: "machine.cluster.x-k8s.io/exclude-node-draining",
	},
}

// familyOf returns the machine API of a group.
func familyOf(group string) (family, error) {
	for _, candidate := range families {
		if candidate.group == group {
			return candidate, nil
		}
	}
	return family{}, fmt.Errorf("%q is no group of machines; use %s or %s", group, v1beta1.OpenShiftMachineGroup, v1beta1.ClusterAPIGroup)
}

// discoveryAge is how long an answer of discovery is used.
const discoveryAge = time.Minute

// servedGroup is what discovery has said of a group.
type servedGroup struct {
	kinds map[string]schema.GroupVersionResource
	until time.Time
}

// resource returns the client for a kind: in the version that its API server prefers of those that have it.
func (c *Client) resource(ctx context.Context, group, kind, namespace string) (dynamic.ResourceInterface, error) {
	kinds, err := c.kinds(ctx, group)
	if err != nil {
		return nil, err
	}
	resource, served := kinds[kind]
	if !served {
		return nil, fmt.Errorf("%w: no %s of %s", ErrNotServed, kind, group)
	}
	return c.objects.Resource(resource).Namespace(namespace), nil
}

// kinds returns the kinds of a group that are served.
func (c *Client) kinds(ctx context.Context, group string) (map[string]schema.GroupVersionResource, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, found := c.served[group]; found && c.clock.Now().Before(known.until) {
		return known.kinds, nil
	}
	kinds, err := c.discover(ctx, group)
	if err != nil {
		return nil, fmt.Errorf("could not find out whether %s is served: %w", group, err)
	}
	c.served[group] = servedGroup{kinds: kinds, until: c.clock.Now().Add(discoveryAge)}
	return kinds, nil
}

// discover asks for all versions of a group, the preferred one first.
func (c *Client) discover(ctx context.Context, group string) (map[string]schema.GroupVersionResource, error) {
	versions, err := c.versions(ctx, group)
	if err != nil {
		return nil, err
	}
	kinds := map[string]schema.GroupVersionResource{}
	for _, version := range versions {
		list, err := c.discovery.ServerResourcesForGroupVersionWithContext(ctx, version.String())
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, resource := range list.APIResources {
			if _, known := kinds[resource.Kind]; !known && !strings.Contains(resource.Name, "/") {
				kinds[resource.Kind] = version.WithResource(resource.Name)
			}
		}
	}
	return kinds, nil
}

func (c *Client) versions(ctx context.Context, group string) ([]schema.GroupVersion, error) {
	groups, err := c.discovery.ServerGroupsWithContext(ctx)
	if err != nil {
		return nil, err
	}
	var versions []schema.GroupVersion
	for _, served := range groups.Groups {
		if served.Name != group {
			continue
		}
		versions = append(versions, schema.GroupVersion{Group: group, Version: served.PreferredVersion.Version})
		for _, version := range served.Versions {
			if version.Version != served.PreferredVersion.Version {
				versions = append(versions, schema.GroupVersion{Group: group, Version: version.Version})
			}
		}
	}
	return versions, nil
}
