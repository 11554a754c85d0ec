// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package vsphere takes nodes out of service whose hosts of vSphere go into maintenance, shuts their virtual machines
// down, and turns them on again when the host is back. A virtual machine has the name of its node.
//
//	label kubernetes.cloud.sap/host           the host, as vCenter names it: without it, a node is left alone
//	label topology.kubernetes.io/zone         its last character says which vCenter, and which credentials
//	label cloud.sap/esx-version               written: the version of the host
//	label cloud.sap/esx-in-maintenance        written: true, alarm (one of Config.Alarms is triggered) or false; as it
//	                                          was, if vCenter does not say
//	label cloud.sap/esx-reboot-ok             read: true lets the node be shut down
//	annotation cloud.sap/esx-reboot-initiated written: true from before the first act until the node is given back
//
// What is done with a node follows from what is there, so it goes on after a restart wherever it was:
//
//	in maintenance and esx-reboot-ok    record esx-reboot-initiated
//	recorded, still in maintenance      hold and drain the node; drained: record the time and shut the guest down;
//	                                    after Config.ShutdownTimeout, or at once without VMware Tools: power it off
//	recorded, not in maintenance        power it on, delete the hold, remove the records
//
// Files: place.go where a node is; hosts.go, machines.go and read.go what vCenter says; sessions.go and credentials.go the
// one session at the vCenter of each zone; node.go, shutdown.go and giveback.go what is done; integration.go the rounds.
package vsphere
