// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package places says what profiles have in the MaintenanceLedger: which profile is in maintenance on which node, and
// which places of pools are taken. It is pure: the engine writes the ledger. What is granted is recorded in the
// NodeProfile next, so an entry is either recorded there, or is about to be, or nobody needs it.
//
// # Files
//
//	places.go   what a transition needs, and how it is entered
//	needed.go   what is still needed, and how the rest is taken out
//	order.go    who is served first
//	adopt.go    places that another controller has given
package places
