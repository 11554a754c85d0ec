// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package holdstatus knows what the NodeMaintenances of a node ask for, how far they are admitted, and what their status
// says: the next one follows from the present one and from facts. It changes no object. What is remembered of a hold from
// one look to the next is in HoldMemory.
//
//	hold.go, holds.go             a hold as a look at its node finds it; what the holds of a node together want
//	stored.go                     what is believed of a stored status, and of an import from another operator
//	admitted.go                   how far a hold is admitted, and what its status says of that
//	status.go, drainstatus.go,    the next status, from facts
//	drainmessages.go
//	kept.go, expiration.go        the status of a hold whose node a gate keeps, and the end of a hold
//	statusread.go                 what a status says
//	podcount.go                   how many pods a drain moves in all
//	holdmemory.go, said.go,       what is remembered: our last write, what waits to be written; a status is written at
//	writelimit.go                 most once a second in the long run
//	changes.go, events.go,        what a step has changed; the events for it, in words
//	statusevents.go
//	operatorevents.go             the same in the words of the node-maintenance operators
package holdstatus
