// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupName is the API group that every type of this package belongs to.
const GroupName = "maintenance.medik8s.io"

// SchemeGroupVersion identifies this version of the group.
var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1beta1"}

var (
	schemeBuilder = runtime.NewSchemeBuilder(addKnownTypes, addDefaultingFuncs, addFieldLabelConversions, addConversions)

	// AddToScheme adds this version to a scheme.
	AddToScheme = schemeBuilder.AddToScheme
)

// AddHub adds the types as the internal version of the group. A server needs it: it works with that version, and
// converts each served one to and from it. Clients do not.
func AddHub(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(schema.GroupVersion{Group: GroupName, Version: runtime.APIVersionInternal}, objects()...)
	return nil
}

// Resource qualifies a resource name, such as "nodemaintenances", with the group.
func Resource(resource string) schema.GroupResource {
	return SchemeGroupVersion.WithResource(resource).GroupResource()
}

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, objects()...)
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}

func objects() []runtime.Object {
	return []runtime.Object{
		&NodeMaintenance{},
		&NodeMaintenanceList{},
		&NodeState{},
		&NodeStateList{},
		&DrainPlan{},
		&DrainPlanOptions{},
		&MaintenancePolicy{},
		&MaintenancePolicyList{},
		&MaintenanceLedger{},
		&MaintenanceLedgerList{},
		&MaintenanceApproval{},
		&MaintenancePolicyQueue{},
		&MaintenanceProfile{},
		&MaintenanceProfileList{},
		&MaintenanceEndpoint{},
		&MaintenanceEndpointList{},
		&NodeProfile{},
		&NodeProfileList{},
		&NodeProfileDecision{},
		&NodeProfileEvaluation{},
		&ScheduledEvent{},
		&ScheduledEventList{},
	}
}
