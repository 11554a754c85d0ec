// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupName is the API group that every type of this package belongs to.
const GroupName = "maintenance.medik8s.io"

// SchemeGroupVersion identifies the internal version of the group.
var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: runtime.APIVersionInternal}

var (
	schemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme adds the internal types to a scheme.
	AddToScheme = schemeBuilder.AddToScheme
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
	return nil
}
