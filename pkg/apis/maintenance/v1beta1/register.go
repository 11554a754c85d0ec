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
	// SchemeBuilder collects the functions that add this version to a scheme.
	// The generated defaulting and conversion functions register here too.
	SchemeBuilder      = runtime.NewSchemeBuilder(addKnownTypes, addDefaultingFuncs, addFieldLabelConversions)
	localSchemeBuilder = &SchemeBuilder

	// AddToScheme adds this version to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)

// Resource qualifies a resource name, such as "nodemaintenances", with the group.
func Resource(resource string) schema.GroupResource {
	return SchemeGroupVersion.WithResource(resource).GroupResource()
}

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion,
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
	)
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}
