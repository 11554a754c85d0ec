// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package importer moves the NodeMaintenances of the node-maintenance operators over to this server. Each
// custom resource becomes a hold, which goes on from where the operator was. The nodes stay as they are.
//
// # Files
//
//	plan.go, mapping.go, object.go,    pure: what to import, and as which object
//	notes.go
//	source.go, read.go, operator.go,   read the cluster: the objects, the operator, its leases; wait until a CRD is
//	nodelease.go, served.go            served
//	importer.go, apply.go              the whole import; what it writes
//	show.go                            what the admin reads
package importer
