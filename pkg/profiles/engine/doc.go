// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package engine applies MaintenanceProfiles to nodes, while its process leads. Each NodeProfile is a key of one queue, with
// its own backoff: an error, or a panic, of one holds up no other.
//
// A worker visits a NodeProfile, and makes one move after the other until there is none left (visit.go):
//
//	it is created, begins, and goes again    attach.go, leave.go, node.go
//	what another controller has left         adopt.go
//	a transition that was recorded           drive.go, step.go: each step is recorded as Running before a trigger is called;
//	                                         stop.go: what goes on by itself ends with its transition
//	the hold of its state                    hold.go
//	what its checks say                      decide.go, facts.go
//	what people are to see                   report.go, write.go: nothing is written that is stored already
//
// A transition to InMaintenance, and one that takes a place of a pool, is granted first (admit.go): one goroutine
// serves those that are ready in their order, evaluates each again with the ledger as it will be, and writes the ledger
// by compare-and-swap. It does so when something has changed, and when time alone may make room (await.go). Then the
// NodeProfile records the transition. An entry of the ledger that no NodeProfile needs goes after a live read
// (tidy.go).
//
// Every write of a NodeProfile names the version that it was worked out from, so two leaders never both act on one. Time
// alone writes nothing.
package engine
