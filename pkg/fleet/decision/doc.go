// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package decision says which nodes may start maintenance now, and what the others wait for. It is pure: the same
// facts have the same outcome, and time is one of them. The replica that leads decides with it, and every replica
// explains with it.
//
// Room is asked once for a node: maxConcurrent, domains, maxUnavailable and pace. Time and consent are asked for each
// hold: the schedule, pauses and stops, approvals and gates. A hold that joins a node in maintenance, or goes from
// Cordon to Drain, asks only for time and consent. What was admitted is not revoked while the hold asks for it.
//
// # Files
//
//	facts.go, outcome.go              what goes in, and what comes out
//	decide.go, decider.go, state.go   the steps of a decision, from top to bottom; what is remembered between
//	                                  decisions; the facts in order
//	compile.go, limit.go, select.go   a policy's spec made ready; its limits as numbers of nodes
//	ledger.go, size.go, entry.go,     the ledger: what enters it, what counts, what ends, and how much it has room
//	update.go, adopt.go, soak.go      for
//	failures.go, stop.go              failures, each recorded once, and the automatic stop
//	count.go, tally.go, room.go,      who counts, and whether there is room
//	pace.go, ready.go
//	own.go, consent.go, gates.go,     asked for each hold: time, people, gates; how far it goes
//	stage.go
//	approved.go                       what was approved and has changed before it could start
//	admit.go, order.go, coupling.go,  who starts, in which order, and for whom room is kept
//	aging.go
//	waits.go, text.go, message.go     what others wait for, in words
//	earliest.go, opening.go           forecasts: the earliest start of each
//	planned.go, queue.go, status.go   nodes to mark as planned; queues; statuses of policies
//	explain.go                        forecasts, queues and previews for replicas, by the same decision
package decision
