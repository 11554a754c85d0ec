// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nodelease is a gate of the drainer that shares nodes with other operators: it takes the lease
// of a node before the node is cordoned, renews it while the node is held, and drops it when the node has
// been given back. The operators of medik8s, such as NodeHealthCheck and self-node-remediation, take the
// same lease before they touch a node. So of all of them only one works on a node at a time.
//
//	whose the lease is           a node that is not cordoned yet   a node in maintenance
//	nobody's, or it has expired  it is taken                       it is taken; the drain goes on
//	ours                         it is kept                        it is kept
//	another holder's             the node waits: LeaseHeld         evictions stop, and the node is not given
//	                                                               back: LeaseLost, after four attempts Failed
//
// # Who decides what
//
//	rule.go    pure: whose a lease is, and what it is like once we have taken or renewed it
//	form.go    pure: names and texts of the operators that we share leases with
//	said.go    pure: what the status of a hold says of a lease that another holder has
//	gate.go    the Gate: what it answers, and how it drops a lease
//	take.go    how it takes a lease
//	node.go    what is remembered of one node
//	client.go  the requests
//	run.go     the watch of the leases
//	renew.go   the timer that renews those that are ours
//
// # Who believes what
//
// A lease is ours if the API server says so: each write names the version that it was worked out from,
// so of two writers only one succeeds. After that no request is needed until the watch shows another
// version of the lease, or the lease must be renewed. What is remembered only saves requests. A new
// process reads the leases once, and goes on with those that are ours: all our replicas are one holder.
// A lease of another holder is also read once a minute, in case that the watch ended in silence.
//
// A lease of a node in maintenance that cannot be read is not lost: the node waits, and its status stays. It
// counts as lost when the last renewal that we know of must have ended.
//
// # Clocks
//
// Whether a lease is valid depends on the clocks of its holder and of this process. A renewal that lies in
// the future by at most half a minute is one by a clock that runs ahead, and the lease is valid. One that
// lies further ahead says nothing, so the lease counts as invalid, as it does for the operators. A lease of another
// holder is taken half a minute after it has expired: that clock may be behind. The operators take it at once.
package nodelease
