// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

// Labels and annotations of nodes.
const (
	// HostLabel is the host of the node.
	HostLabel = "kubernetes.cloud.sap/host"
	// VersionLabel is the version of the host.
	VersionLabel = "cloud.sap/esx-version"
	// MaintenanceLabel says whether the host is in maintenance: true, false or alarm.
	MaintenanceLabel = "cloud.sap/esx-in-maintenance"
	// RebootOKLabel lets the node be shut down, if it is true.
	RebootOKLabel = "cloud.sap/esx-reboot-ok"
	// InitiatedAnnotation is true from before the node is held until it is given back.
	InitiatedAnnotation = "cloud.sap/esx-reboot-initiated"
	// ShutdownAnnotation is the time when the guest was asked to shut down, in the form of RFC 3339.
	ShutdownAnnotation = "vsphere.maintenance.medik8s.io/shutdown-started"
)

const isTrue = "true"
