// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package machine moves the NodeProfiles from state to state. It is pure: each function changes a status in memory, and
// the engine stores it. The time is an argument.
//
//	Start     a NodeProfile begins as Operational
//	Record    a transition was decided: its triggers are written down before anything is done
//	Commit    the triggers are done: the next state is entered, and its enter begins
//	Abort     a transition is given up
//	Drop      a transition of which nothing was done is decided anew
//	Reset     the state is left without a transition: the node is a new one, or the profile is off it
//
// # Files
//
//	machine.go            the moves from state to state, and the history
//	steps.go              one step of a transition
//	hold.go               which hold is asked for
//	decisions.go          decisions of people to abort a transition, and the time of rest after that
//	report.go, equal.go   results as a status has them; whether two differ
//	adopt.go              a NodeProfile goes on from where another controller was
package machine
