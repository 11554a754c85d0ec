// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package leadership decides which of several replicas leads, and keeps the others from writing.
//
// An Elector stands for election on a Lease, with client-go's leader election, and has work done while it
// holds the Lease. That election does not fence: a process that was paused, or cut off from the API
// server, may still believe that it leads while another one does already. So everything that the work writes
// goes through the Fence:
//
//	lease                                   who may write
//	renewed less than RenewDeadline ago     its holder
//	older than that                         nobody: the work is canceled, and so are its requests
//	older than LeaseDuration                the next holder, after it has taken the lease
//
// # Order at the end of a term
//
//  1. The work is canceled. When the lease is lost, the fence closes first, and requests in flight are
//     canceled. When the process ends, the fence stays open until the work has ended.
//  2. Elector waits until the work has ended.
//  3. The fence closes.
//  4. The lease is released, if this replica still holds it, and nothing of the work may still be under way.
//
// # What the library leaves open
//
//	a candidate asks only every 2 to 4.4 s           the Lease is watched, and every change has it ask at
//	                                                 once; and so does the end of the lease (watch.go)
//	it releases a lease while the work still runs    lock waits for the work first (lock.go)
//	it releases a lease that another has taken       lock refuses that
//	it overwrites one, after the machine slept       lock refuses that until the other's term must be over
//	it trusts the duration that any lease says       lock counts at most LeaseDuration
//	it sees a lost lease when it renews it next      the watch tells, and the fence closes at once (follow.go)
//	a deleted lease is created by who comes first    lock waits until the last holder's term is over
//	stopped between renewals, its metric stays 1     Elector resets the metric (library.go)
//
// # Files
//
//	elector.go, stand.go     candidacies and terms: who waits for whom
//	library.go               the elector of client-go, and its metric
//	fence.go, transport.go   whether a write may pass; the transport that asks
//	lock.go                  the Lease as the library sees it
//	watch.go, follow.go      the watch of the Lease; the end of a term that it tells of
//	config.go                what an Elector is made from
package leadership
