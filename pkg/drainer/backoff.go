// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	leastBackoff  = time.Second
	mostBackoff   = time.Minute
	backoffJitter = 0.2
)

// answered notes the answer to a request for the pod. A refusal by a budget that we can see
// costs the pod nothing: the budget itself is left alone until it changes.
func (a *attempt) answered(e eviction, v verdict, budgetKnown bool, now time.Time) {
	a.last, a.when, a.pod, a.forced = v, now, e.pod, e.force
	switch {
	case v.outcome == outcomeEvicted:
		a.evicted, a.failures, a.retry = now, 0, time.Time{}
	case v.outcome == outcomeDisruptionBudget && budgetKnown:
		a.failures, a.retry = 0, time.Time{}
	default:
		a.failures++
		a.retry = now.Add(backoff(a.failures, v.retryAfter))
	}
}

// backoff is how long to wait after that many failures in a row, and at least as long as was
// asked for.
func backoff(failures int, asked time.Duration) time.Duration {
	delay := mostBackoff
	if doublings := failures - 1; doublings < 6 {
		delay = min(leastBackoff<<doublings, mostBackoff)
	}
	return max(wait.Jitter(delay, backoffJitter), asked)
}
