// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// GroupVersion is the API group of the envelopes, in the version that this server reads and writes.
var GroupVersion = schema.GroupVersion{Group: "store.maintenance.medik8s.io", Version: "v1"}

// Kind is a kind of envelope: the objects of one resource are stored in the objects of one CRD.
type Kind struct {
	// Resource is the name of the CRD's objects in URLs. It differs from that of the stored resource: kubectl
	// would otherwise take the short name for the envelopes.
	Resource string
	// Name is the kind of the CRD's objects.
	Name string
	// Fields are the fields of the stored resource that an envelope repeats: from the label that a field selector
	// has, to the name in the envelope's fields. The CRD lists them in selectableFields.
	Fields map[string]string
	// Namespaced says whether the objects have namespaces. Their envelopes then are in the same ones.
	Namespaced bool
}

// kinds are the kinds of envelopes of the resources that this server stores.
var kinds = map[schema.GroupResource]Kind{
	{Group: v1beta1.GroupName, Resource: "nodemaintenances"}: {
		Resource: "storednodemaintenances",
		Name:     "StoredNodeMaintenance",
		Fields:   map[string]string{v1beta1.FieldNodeName: "nodeName"},
	},
	{Group: v1beta1.GroupName, Resource: "maintenancepolicies"}: {
		Resource: "storedmaintenancepolicies", Name: "StoredMaintenancePolicy",
	},
	{Group: v1beta1.GroupName, Resource: "maintenanceledgers"}: {
		Resource: "storedmaintenanceledgers", Name: "StoredMaintenanceLedger",
	},
	{Group: v1beta1.GroupName, Resource: "maintenanceprofiles"}: {
		Resource: "storedmaintenanceprofiles", Name: "StoredMaintenanceProfile",
	},
	{Group: v1beta1.GroupName, Resource: "maintenanceendpoints"}: {
		Resource: "storedmaintenanceendpoints", Name: "StoredMaintenanceEndpoint",
	},
	{Group: v1beta1.GroupName, Resource: "nodeprofiles"}: {
		Resource: "storednodeprofiles",
		Name:     "StoredNodeProfile",
		Fields:   map[string]string{v1beta1.FieldNodeName: "nodeName"},
	},
	{Group: v1beta1.GroupName, Resource: "scheduledevents"}: {
		Resource: "storedscheduledevents", Name: "StoredScheduledEvent",
	},
}

// StoreKind is the kind of the object that has the store's ID. It is no envelope.
var StoreKind = Kind{Resource: "stores", Name: "Store"}

// KindOf returns the kind of the envelopes of a resource.
func KindOf(resource schema.GroupResource) (Kind, error) {
	kind, ok := kinds[resource]
	if !ok {
		return Kind{}, fmt.Errorf("no kind of group %s stores %s", GroupVersion.Group, resource)
	}
	return kind, nil
}

// Resources returns the resources that this server stores, in a fixed order.
func Resources() []schema.GroupResource {
	return slices.SortedFunc(maps.Keys(kinds), func(a, b schema.GroupResource) int { return strings.Compare(a.String(), b.String()) })
}

// GVR is the resource of the envelopes in the cluster's API.
func (k Kind) GVR() schema.GroupVersionResource { return GroupVersion.WithResource(k.Resource) }

// repeated returns those of an object's fields that its envelope repeats, by their names there.
func (k Kind) repeated(all fields.Set) map[string]string {
	repeated := map[string]string{}
	for label, name := range k.Fields {
		repeated[name] = all[label]
	}
	return repeated
}
