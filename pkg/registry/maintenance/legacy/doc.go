// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package legacy serves NodeMaintenances under the names of the former node-maintenance operators. It has no
// store: it changes what comes in and what goes out, and leaves the rest to the storage of the
// NodeMaintenances of maintenance.medik8s.io.
//
// # Files
//
//	rest.go, status.go   the two resources of each group
//	complete.go          an update is completed from the stored object with what the old version cannot say
//	shown.go             answers, events and warnings name the finalizer, and warnings also fields, as old clients
//	                     know them
//	refusals.go          what the operators' webhooks refused, in their words; errors name the group's own resource
package legacy
