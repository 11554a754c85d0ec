// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package engine does what ScheduledEvents ask for, while its process leads. Each event is a key of one queue, with its own
// backoff: an error, or a panic, of one holds up no other.
//
// A worker visits an event, and makes one move after the other until there is none left (visit.go):
//
//	what is known                         look.go, machine.go, plan.go: the event, its node and hold, its machine, the others
//	what follows                          package decision, and for machines package replacement; both are pure
//	what is stored                        write.go: the status, before anything is done
//	what is done                          hold.go, replace.go, end.go: the hold, the machine, the end of the object
//
// A move either stores or acts. So what is done was stored before, and the next move begins with what is stored then. A
// crash at any point repeats nothing: each act finds what it has done.
//
// Without events, only a watch of events at this server itself runs. Nodes, holds and policies are those that others in
// this process know anyway. Machines are asked for when an event has them replaced, and every 10 seconds while that goes
// on.
//
// Events of nodes of the control plane are decided one after the other, and so are those that begin to replace a
// machine: they depend on what the others have begun. The number of machines and the event that has changed it are
// written in one update.
//
// An event that is being deleted keeps its finalizer until its node is given back. One that is ignored ends a day after
// the last of its times. One that has ended is deleted after 7 days.
//
// # Files
//
//	engine.go, term.go, follow.go   what it is made from; one term of leading; which changes matter
//	notes.go                        what a term remembers
package engine
