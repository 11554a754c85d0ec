// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package evaluation says what the checks of a MaintenanceProfile on a node say, and which transition follows from
// them. It is pure: it has no clients, and the time is an argument. So the leader decides, every replica explains, and a
// dry run foresees with the same function:
//
//	func Evaluate(facts Facts) Outcome
//
// A profile is compiled first. Who evaluates stored profiles again and again does so with a Cache.
//
// Who has what part:
//
//   - The engine gathers Facts, calls Evaluate, writes what the Outcome says into the status of the NodeProfile, looks
//     again at Outcome.Again, and has the answers asked for that Outcome.Wants names.
//   - The admitter calls Evaluate again, with a fresh ledger, before it grants a transition to InMaintenance or a place
//     of a pool, and writes the ledger with its resourceVersion. Outcome.Transitions says which checks were decisive, and
//     so whether places of pools are spent.
//   - Cluster is implemented by an aggregate that informers keep up to date step by step, so that a check of a node
//     never walks through all nodes.
//   - Answers come from polls (prometheus, http) and informers (object) that belong to others. Evaluate asks nobody.
//
// A result is True, False, Error or Unknown. Error and Unknown are both "not known": each of them is overruled by a check
// that decides alone, as in Kleene's logic. "passes || fails" is True, and "refuses && fails" is False. If both are
// left, Error wins, since it is what a person has to look at.
//
// Only what the outcome depends on wakes an evaluation: an informer, through package aggregate; the ledger; an answer;
// or the time that the last outcome named.
//
// # Files
//
//	facts.go, outcome.go              what goes in, and what comes out
//	compile.go, cache.go              a profile made ready, and kept so until its spec changes
//	evaluate.go, transition.go,       one evaluation; what each transition waits for; what people have decided
//	decisions.go
//	kinds.go                          the table of all kinds of checks: what each becomes, and what it depends on
//	check.go, text.go                 what checks share
//	nodechecks.go, clusterchecks.go,  checks of the node, of the cluster, of the ledger, and of the time
//	ledgerchecks.go, timechecks.go
//	answerchecks.go                   checks that people, or others, answer
package evaluation
