// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package admitter decides which maintenance may start, for the policies of the cluster, and keeps the record of what it
// has admitted: the ledger.
//
// While a process leads, one goroutine decides (loop.go, decide.go):
//
//	a change of a policy, a node or a hold    follow.go     wakes it; changes within a moment are decided together
//	the ledger is read and begun              pkg/ledger    epoch + 1, so that the writes of a former leader fail
//	facts are gathered                        facts.go      from caches; passed.go adds what they do not show yet
//	package decision decides                                pure
//	what must be sure is asked for            leaving.go    nodes have left; the policies are the newest (decide.go)
//	the whole ledger is written               pkg/ledger    by compare-and-swap; a conflict discards the decision
//	then the drainer may know                 known.go      and looks at the nodes whose answer has changed
//	and people are told                       statuses.go, events.go, metrics.go
//	a decision that does not return           health.go     has /livez fail
//
// The drainer asks twice: how far a hold may go, from memory (admission.go), and right before the cordon, when our own
// server must have shown a moment ago that the node is in the ledger (gate.go, sight.go).
//
// Without policies and without a ledger, nothing is decided, asked for or written.
//
// An entry of the ledger ends when the drainer has released the gate, which it does once the node was given back, and
// that is confirmed. It ends without the release, too: when no hold keeps the node, the node carries no mark of ours,
// and no reconcile that may cordon it is under way.
//
// # Files
//
//	admitter.go, asked.go         what it is made from; what it asks others
//	term.go                       one term of leading
//	imported.go                   what the marks on nodes and imports say was begun
//	answer.go                     the answers to the drainer
//	policies.go                   the policies
//	waited.go                     how long maintenance has waited
//	explain.go, sharedledger.go   the same facts for replicas that do not lead; the ledger, which is read for them
//	                              once a second at most
package admitter
