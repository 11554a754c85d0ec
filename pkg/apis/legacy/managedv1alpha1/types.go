// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package managedv1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MachineMaintenance is an event that AWS announced for the machine of a node. It is a ScheduledEvent of
// maintenance.medik8s.io under its old name, which shows less of it: the server drains the node and has the machine
// replaced, or waits until it has come back, as the code of the event asks for.
type MachineMaintenance struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what was announced, and whether it is done.
	// +optional
	Spec MachineMaintenanceSpec `json:"spec,omitempty"`
	// status is empty. The status of the ScheduledEvent says what the server does.
	// +optional
	Status MachineMaintenanceStatus `json:"status,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MachineMaintenanceList is a list of MachineMaintenances.
type MachineMaintenanceList struct {
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the MachineMaintenances.
	Items []MachineMaintenance `json:"items"`
}

// MachineMaintenanceSpec is what was announced for a machine, and whether it is done. Only maintenancescheduled may
// change.
type MachineMaintenanceSpec struct {
	// maintenancescheduled is true once the machine has been deleted, or nothing is to be done any more. If you set
	// it, the server does nothing more for the event, and gives the node back. It stays true.
	MaintenanceScheduled bool `json:"maintenancescheduled"`
	// eventcode is what happens to the machine. instance-stop and instance-retirement: it does not come back, so the
	// node is drained and its machine replaced. instance-reboot, system-reboot and system-maintenance: it comes back,
	// so the node is drained and given back afterwards. A MaintenancePolicy can say what is done for other codes.
	// Defaults to instance-retirement. Immutable.
	// +optional
	EventCode string `json:"eventcode,omitempty"`
	// eventid is the id of the event at AWS. Immutable.
	// +optional
	EventID string `json:"eventid,omitempty"`
	// machineid is the id of the machine at AWS, such as i-0abcd1234. Required. Immutable.
	MachineID string `json:"machineid"`
	// machinelink is the name of the Machine in the namespace openshift-machine-api. Required. Immutable.
	MachineLink string `json:"machinelink"`
}

// MachineMaintenanceStatus is empty.
type MachineMaintenanceStatus struct{}
