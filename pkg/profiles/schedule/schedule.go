// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package schedule says when a notifier of a profile has something to send. It is pure: the engine asks it in the same
// evaluation as the checks, and makes the notification in its own write. What was made is known from the status alone,
// so that nothing is sent twice after a restart, and nothing is missed that is still due.
//
// The engine asks about the notifiers of the state that the NodeProfile is in, before it takes a transition out of it: a
// notification that is due at the moment of a transition is made.
package schedule

import (
	"fmt"
	"strconv"
	"time"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// Verdict is whether a notification is due.
type Verdict struct {
	// Occasion is what it is for; empty: none is due. The same notifier never has the same occasion twice.
	Occasion string
	// Again is the time when the verdict may change by time alone; zero: never. After a notification was made, ask again.
	Again time.Time
}

// Due says whether a notifier of the state that a NodeProfile is in has something to send. The siblings are the
// NodeProfiles of other profiles on the same node, which matter with dedupe Node: they must be as they were written last.
// It fails if the schedule is one that validation would refuse.
func Due(
	now time.Time, notifier *v1beta1.ProfileNotifier, status *v1beta1.NodeProfileStatus, siblings ...*v1beta1.NodeProfile,
) (Verdict, error) {
	if status.Since == nil {
		return Verdict{}, nil
	}
	q := question{now: now, notifier: notifier, status: status, siblings: siblings}
	switch s := notifier.Schedule; {
	case s == nil:
		return q.once(0), nil
	case s.Oneshot != nil:
		return q.once(seconds(ptr.Deref(s.Oneshot.DelaySeconds, v1beta1.DefaultOneshotDelaySeconds))), nil
	case s.Periodic != nil:
		return q.periodic(seconds(ptr.Deref(s.Periodic.Seconds, v1beta1.DefaultPeriodicSeconds))), nil
	case s.Scheduled != nil:
		return q.scheduled(s.Scheduled)
	default:
		return Verdict{}, fmt.Errorf("this version does not know the schedule of the notifier %s", notifier.Name)
	}
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// once is due once in a state, some time after it was entered.
func (q question) once(delay time.Duration) Verdict {
	at := q.status.Since.Add(delay)
	switch {
	case q.latest() != nil:
		return Verdict{}
	case q.now.Before(at):
		return Verdict{Again: at}
	default:
		return Verdict{Occasion: q.sequence()}
	}
}

// periodic is due when a state is entered, and again some time after the last notification. It is not due while the last
// one has not been sent yet: reminders that nobody gets do not pile up.
func (q question) periodic(period time.Duration) Verdict {
	last := q.latest()
	switch {
	case last == nil && q.status.State == v1beta1.ProfileOperational:
		return Verdict{Occasion: q.sequence()}
	case last == nil:
		return Verdict{Occasion: q.sequence(), Again: q.now.Add(period)}
	case q.status.State == v1beta1.ProfileOperational, outbox.Unsent(last):
		return Verdict{}
	}
	if next := last.Time.Add(period); q.now.Before(next) {
		return Verdict{Again: next}
	}
	return Verdict{Occasion: q.sequence() + "." + q.secondsInState(), Again: q.now.Add(period)}
}

func (q question) sequence() string { return strconv.FormatInt(q.status.Sequence, 10) }

// secondsInState tells occasions of a state apart, whatever period they were made with.
func (q question) secondsInState() string {
	return strconv.FormatInt(int64(q.now.Sub(q.status.Since.Time)/time.Second), 10)
}
