// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// margin is how much earlier than needed the latest start is: for the looks of the server at what changes, and for
	// a restart of it.
	margin = 10 * time.Minute
	// lead is how long before its latest start a drain starts where policies agree: the node is out of service from
	// then on, so not earlier than needed, but early enough to see that something keeps it.
	lead = time.Hour
	// tolerance is how far a time may be off before it is written again.
	tolerance = time.Minute
	// ignoredFor is how long after an event is over it is still ignored. Then it ends.
	ignoredFor = 24 * time.Hour
)

// Times are the times when the drain of an event is to start.
type Times struct {
	// EmptyBy is the time when the node has to be empty; zero: at no time that is known, so the drain starts at once.
	EmptyBy time.Time
	// Expected is how long the drain is expected to take.
	Expected time.Duration
	// LatestStart is the time when the drain has to start to end by EmptyBy; zero if that is zero. It may be before the event was
	// created.
	LatestStart time.Time
	// Start is the time when it is to start; not after LatestStart, unless that had passed when the event was created. To start at
	// once is to start when the event was created.
	Start time.Time
}

// TimesOf works out when the drain of the event is to start. surge is how long a new machine may take before the drain;
// 0 without one. A machine that is replaced starts at once: an early replacement costs nothing. A node that is to come
// back is out of service from the drain until then, so it starts in the last opening of its policies before the latest
// start.
func TimesOf(event *v1beta1.ScheduledEvent, policies []*v1beta1.MaintenancePolicy, drains Drains, surge time.Duration, replaces bool) Times {
	created := event.CreationTimestamp.Time
	t := Times{EmptyBy: EmptyBy(&event.Spec), Expected: expected(drains), Start: created}
	if t.EmptyBy.IsZero() {
		return t
	}
	t.LatestStart = t.EmptyBy.Add(-t.Expected - margin - surge)
	if !replaces && t.LatestStart.After(created) {
		t.Start = startBefore(t.LatestStart, created, policies)
	}
	return t
}

// EmptyBy is the time when the node has to be empty: at notBefore, else by the deadline, else by notAfter. Zero: at no time that
// is known.
func EmptyBy(spec *v1beta1.ScheduledEventSpec) time.Time {
	for _, t := range []*metav1.Time{spec.NotBefore, spec.Deadline, spec.NotAfter} {
		if t != nil {
			return t.Time
		}
	}
	return time.Time{}
}

// over is the time when the event is over: the last of its times. Without one it is when the event was created.
func over(event *v1beta1.ScheduledEvent) time.Time {
	last := event.CreationTimestamp.Time
	for _, t := range []*metav1.Time{event.Spec.NotBefore, event.Spec.Deadline, event.Spec.NotAfter} {
		last = later(last, timeOf(t))
	}
	return last
}

// near says whether two times are the same but for what is tolerated.
func near(a, b time.Time) bool {
	return a.IsZero() == b.IsZero() && a.Sub(b).Abs() <= tolerance
}

func inSeconds(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t.Truncate(time.Second)}
}

func timeOf(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
