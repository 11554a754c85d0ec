// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// leastRest and mostRest are how long nothing is decided after a transition was given up, so that what fails at once
	// is not begun again and again.
	leastRest = time.Minute
	mostRest  = 30 * time.Minute
)

// AskedToAbort returns the decision of a person to give up the recorded transition; nil if there is none. Each counts
// once, and for the sequence in which it was made.
func AskedToAbort(status *v1beta1.NodeProfileStatus) *v1beta1.RecordedDecision {
	if status.Transition == nil {
		return nil
	}
	for i := range status.Decisions {
		d := &status.Decisions[i]
		about := d.Transition == "" || d.Transition == status.Transition.Name
		if d.Decision == v1beta1.ProfileAbort && d.Sequence == status.Sequence && d.UsedBy == "" && about &&
			!d.Time.Time.Before(status.Transition.DecidedTime.Truncate(time.Second)) {
			return d
		}
	}
	return nil
}

// UseAbort notes that a decision ends the recorded transition.
func UseAbort(status *v1beta1.NodeProfileStatus, decision *v1beta1.RecordedDecision) {
	use(status, decision, status.Transition.ID)
}

// use notes which transition a decision has started or ended. The decision may be one of a copy of the status.
func use(status *v1beta1.NodeProfileStatus, decision *v1beta1.RecordedDecision, id string) {
	for i := range status.Decisions {
		d := &status.Decisions[i]
		if d.Decision == decision.Decision && d.Transition == decision.Transition && d.Sequence == decision.Sequence &&
			d.By == decision.By && d.Time.Equal(&decision.Time) {
			d.UsedBy = id
		}
	}
}

// RestsUntil is until when nothing is decided, since the last transition was given up; zero: it was not. The more often
// that has happened, the longer.
func RestsUntil(status *v1beta1.NodeProfileStatus) time.Time {
	last := len(status.History) - 1
	if last < 0 || status.History[last].Result != v1beta1.TransitionAborted {
		return time.Time{}
	}
	ended, rest := status.History[last].EndedTime.Time, leastRest
	for i := last - 1; i >= 0; i-- {
		if status.History[i].EndedTime.Time.Before(ended.Add(-2 * mostRest)) {
			break
		}
		if status.History[i].Result == v1beta1.TransitionAborted {
			rest = min(2*rest, mostRest)
		}
	}
	return ended.Add(rest)
}
