// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Outcome is what follows from the facts.
type Outcome struct {
	// Checks are the results of all checks that transitions out of the state name, in the order of the profile.
	Checks []CheckResult
	// Transitions are the results of all transitions out of the state, in the order of the profile.
	Transitions []TransitionResult
	// Winner is the place in Transitions of the one that is to be taken: the first that is True, that nobody vetoes, and
	// that need wait neither for the hold nor for another profile of the node; or one that somebody has pushed. -1: none.
	Winner int
	// PushedBy is the decision that has pushed the winner past its checks; nil if they have passed.
	PushedBy *v1beta1.RecordedDecision
	// ApprovedBy are the users whose approvals the winner needed, sorted.
	ApprovedBy []string
	// Waiting says in a sentence what the node waits for, from what the transitions wait for; empty: nothing. Of transitions
	// out of MaintenanceRequired, only those that lead on count, if there are any. An Operational node does not wait for
	// checks that are False.
	Waiting string
	// Again is the time when the outcome may change by time alone; zero: never.
	Again time.Time
	// OwnAgain is Again without the checks that ask for the ledger.
	OwnAgain time.Time
	// Ledger is what the ledger says.
	Ledger Ledger
	// Wants are the names of the checks prometheus, http and object whose answers matter now, sorted: with another answer,
	// the outcome could be another one. The others need not be asked. podAffinity is among them while it matters.
	Wants []string
}

// Ledger is what the ledger says to a profile on a node.
type Ledger struct {
	// Says is that in short: while it is the same, and nothing but the ledger has changed, so is all of the outcome, but for
	// words, numbers and times of checks that ask for the ledger. Empty: nothing depends on it.
	Says string
	// Asked says whether checks ask for it.
	Asked bool
	// Again is the time when it may say something else by time alone; zero: never.
	Again time.Time
}

// CheckResult is the result of a check.
type CheckResult struct {
	// Name is the name of the check.
	Name string
	// Result is True, False, Error or Unknown.
	Result Result
	// Message says in a sentence why, with numbers. It holds no time that is left, only moments.
	Message string
	// Info are numbers and names that the result was made from; at most v1beta1.MaxCheckInfo.
	Info map[string]string
	// Again is the time when the result may change by time alone; zero: never.
	Again time.Time
}

// TransitionResult is the result of a transition.
type TransitionResult struct {
	// Name is the name of the transition.
	Name string
	// Next is the state that it leads to.
	Next v1beta1.ProfileState
	// Result is that of its chain of checks.
	Result Result
	// Decisive are the checks that have decided, in the order of the chain, each once: with other results of them, the
	// result would be another one. A stagger is spent only if it is among them.
	Decisive []string
	// Blocked says in a sentence what keeps a transition whose Result is True from being taken: a veto, the hold, another
	// profile of the node; empty: nothing.
	Blocked string
	// WaitingFor says in a sentence what it waits for; empty: nothing. The admitter adds the place in the queue.
	WaitingFor string
}
