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
// An outcome depends on the ledger only through the results of maxInMaintenance and stagger, and through who has the node
// (evaluation's Outcome.Ledger). A candidate remembers what the ledger said when it was refused, and is not evaluated again
// while it says the same. So the end of one maintenance costs a few evaluations, however many wait. Who depends on the
// ledger and is no candidate is visited at once if it says something else, and otherwise a minute later, for its status.
//
// Every write of a NodeProfile names the version that it was worked out from, so two leaders never both act on one. Time
// alone writes nothing.
//
// # Files
//
//	engine.go, shared.go, term.go   what it is made from; the caches that others use, too; one term of leading
//	follow.go, moments.go           which changes matter; the newest version of each NodeProfile, and the time of
//	                                its last write
//	answers.go                      who answers checks that ask others
//	calls.go                        how long a call may take, and how many there are
//	reboot.go                       which boot of the node a reboot has to end
//	slow.go                         profiles whose evaluations take long, and that wait for each other
//	crash.go                        profiles with texts that a process has died of
//	vouch.go                        whether the author, and the server, may do what a profile says
//	shadow.go                       what profiles would do while the SAP maintenance-controller runs
//	lastchanged.go                  which profile of a node has changed its state last
//	admitter.go                     who waits for a grant
//	evaluate.go, preview.go         the same checks for replicas that do not lead
package engine
