// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestPoliciesSeeOldGroups(t *testing.T) {
	config := &genericapiserver.Config{EquivalentResourceRegistry: runtime.NewEquivalentResourceRegistry()}
	policeOldGroups(config, []schema.GroupVersion{oldVersion, managedv1alpha1.SchemeGroupVersion})
	old, own := oldVersion.WithResource("nodemaintenances"), v1beta1.SchemeGroupVersion.WithResource("nodemaintenances")
	for _, resource := range []schema.GroupVersionResource{old, own} {
		config.EquivalentResourceRegistry.RegisterKindFor(resource, "", resource.GroupVersion().WithKind("NodeMaintenance"))
	}
	machines := managedv1alpha1.SchemeGroupVersion.WithResource("machinemaintenances")
	config.EquivalentResourceRegistry.RegisterKindFor(machines, "", machines.GroupVersion().WithKind("MachineMaintenance"))
	for resource, want := range map[schema.GroupVersionResource][]schema.GroupVersionResource{
		old: {old, own},
		own: {own},
		// Its storage has them pass admission as ScheduledEvents.
		machines: {machines},
	} {
		if got := config.EquivalentResourceRegistry.EquivalentResourcesFor(resource, ""); !slices.Equal(got, want) {
			t.Errorf("writes of %s are seen as %v, want %v", resource, got, want)
		}
	}
}
