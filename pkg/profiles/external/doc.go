// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package external answers the checks that ask somebody else: prometheus and http, which are polled, and object, which
// is watched. It asks only what the outcome of an evaluation wants, and wakes a NodeProfile only when an answer has
// changed.
//
// A question is an endpoint with a query or a path, after the name of the node was put in. All NodeProfiles that want the
// same one share a poll: 500 nodes with one query are one call for each interval. If their intervals differ, the shortest
// counts. The next call comes an interval after an answer, more or less by a tenth of it. After a failure it comes
// sooner or later than that: after 5 s, then 10 s and so on, and at most after 2 minutes. A poll that nobody wants any
// more is forgotten when it would be due.
//
// An answer counts until it is as old as two intervals and a minute, since it may have to wait for its turn, and the call
// may take a minute. Then the check is Unknown. A failed call makes the check an Error at once, until a call succeeds.
//
// Numbers that change with each answer wake nobody: each would be an evaluation and a write for each node.
//
// # Files
//
//	asker.go, subscription.go            what the engine calls; one check that a NodeProfile wants answered
//	question.go, poll.go                 what is the same question for several nodes; its last answer, and the time
//	                                     of the next call
//	polls.go, polling.go                 which questions there are; the loop that asks them
//	ask.go, get.go, judge.go, room.go    one call of an endpoint; of an HTTP server; what an expression says of the
//	                                     answer; how much memory all answers may take
//	watch.go, trouble.go                 one informer; why its objects cannot be read, and what helps
//	watches.go, watching.go, events.go   which informers there are; the loop that starts and ends them; whom a
//	                                     change concerns
//	object.go                            the answers to checks of the kind object
package external
