// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package plan decides what happens with each pod of a node under drain, and says what is in its
// way. It is pure: it knows only its Input, reads no clock, makes no request, and changes nothing
// that it was given. What the drainer does and what the API shows come from the same plan.
//
//	hold.go       a hold with its selectors parsed
//	decision.go   what one hold, alone, does with one pod, and in which turn
//	holdplan.go   the same for all pods of the node
//	union.go      what all holds together want of one pod
//	plan.go       the plan: the union, and what follows from budgets and earlier attempts
//	blockers.go   what keeps a pod from leaving, in words
//	machines.go   what keeps the pods of virtual machines, in words
//	launchers.go  which of these pods wait, and for what
//	replicas.go   which pods that run this server stay, and why
//	returns.go    which pods that came back wait, and why
//	placement.go  how a pod gets to a cordoned node, in words
//	prediction.go which pods may come back, before they are evicted
//	progress.go   how far one hold's drain has come, and which pods wait for others
//	selection.go  how many pods one hold leaves on the node
//	unknown.go    settings that only a newer version of the server knows
//	clash.go      holds that want different things of a pod
//	report.go     the plan as the API shows it
//	notes.go      what an eviction loses or overrides, in words
package plan
