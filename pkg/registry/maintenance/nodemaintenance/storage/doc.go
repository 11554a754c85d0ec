// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package storage adds to the storage of NodeMaintenances what a single stored object cannot do: it wakes the drainer,
// and it tells clients about the node and its other holds.
//
// A create goes through these checks last, after those of all others (admit.go): has the store space, is the name free,
// has the user fewer than 32 holds on the node, and have all users fewer than 256 (creation.go), can the control plane
// do without the node (quorum.go)? The drainer is woken after a change was stored, and not after a dry run.
//
// # Files
//
//	delete.go, each.go              deletes, also of many; holds of different nodes side by side
//	holds.go, clashwarnings.go      warnings about other holds on the node
//	plan.go, planwarnings.go,       the plan in the answer to a dry run; warnings about pods and data that the
//	selection.go                    drain loses
//	forecast.go                     a warning, and status.plan.admission, for a hold that is going to wait
//	approvals.go                    changes the decisions in the status of a hold, and nothing else of it
//	sharedlist.go, encodedlist.go   requests that list all holds at the same time share one encoded answer. All
//	                                such answers together take 64 MiB at most
//	written.go                      the version of the last write of a hold on each node, for at most 4,096 nodes.
//	                                A create waits until the watch cache shows that version, and for nothing else
//	follow.go                       the store's revision, and lists and watches in process, for the states of nodes
//	audit.go                        annotations of audit events
package storage
