// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// policedAsOwn has the cluster's policies and webhooks for our group see writes through old groups, too: they
// are writes of the same objects. Webhooks for an old group do not see writes through ours: one that an
// operator has left behind would stop this server.
type policedAsOwn struct {
	runtime.EquivalentResourceRegistry
	old []schema.GroupVersion
}

// policeOldGroups changes config so that no policy for our group can be evaded through an old one. Writes of
// MachineMaintenances need nothing of this: their storage has them pass admission as ScheduledEvents.
func policeOldGroups(config *genericapiserver.Config, old []schema.GroupVersion) {
	old = slices.DeleteFunc(slices.Clone(old), func(version schema.GroupVersion) bool { return version == managedv1alpha1.SchemeGroupVersion })
	if len(old) > 0 {
		config.EquivalentResourceRegistry = policedAsOwn{config.EquivalentResourceRegistry, old}
	}
}

// EquivalentResourcesFor implements runtime.EquivalentResourceMapper.
func (p policedAsOwn) EquivalentResourcesFor(resource schema.GroupVersionResource, subresource string) []schema.GroupVersionResource {
	equivalent := p.EquivalentResourceRegistry.EquivalentResourcesFor(resource, subresource)
	if !slices.Contains(p.old, resource.GroupVersion()) {
		return equivalent
	}
	return append(slices.Clone(equivalent), v1beta1.SchemeGroupVersion.WithResource(resource.Resource))
}
