// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package decision says what is to be done for a ScheduledEvent: which node it means, when its drain starts, which hold
// it wants, and whether its machine may be replaced. It is pure: the same facts have the same outcome, and time is one
// of them.
//
// Who acts stores the new status first, and does the rest then: it makes the hold as it is wanted, lets the replacement
// go on, and sends the Kubernetes events. A crash in between repeats nothing that matters, since the next decision
// follows from what is stored.
//
// # Files
//
//	facts.go, outcome.go, decide.go      what goes in, what comes out, and which of the following files decides
//	node.go                              which node an event means
//	pending.go, waits.go                 before the drain has started
//	started.go, replacing.go             after that; while the machine is being replaced
//	end.go                               the end of an event, and what is taken back
//	times.go, estimate.go, openings.go   when the drain has to start: how long it takes, and what schedules allow
//	policies.go, hold.go, machine.go,    what policies say; the hold; the machine; other events of the node
//	others.go
//	notes.go, reasons.go, sentences.go   what people are told
package decision
