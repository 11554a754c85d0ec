// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	leastBackoff  = time.Second
	mostBackoff   = time.Minute
	backoffJitter = 0.2
	// unseenRetry is when to look again at a pod that turned out to have changed: its watch tells
	// us before, as a rule.
	unseenRetry = 250 * time.Millisecond
)

// attempt is what became of the evictions of one pod so far.
type attempt struct {
	// evicted is when the API server accepted the eviction; zero before. Such a pod is never
	// posted again, however late its deletion is seen.
	evicted time.Time
	// last is the answer to the last request, made at when for the pod as it was then.
	last verdict
	when time.Time
	pod  *corev1.Pod
	// forced says that the last request was to delete the pod.
	forced bool
	// failures counts the requests that failed in a row; retry is when the next may be made.
	failures int
	retry    time.Time
}

// answered notes the answer to a request for the pod. A refusal by a budget that we can see
// costs the pod nothing: the budget itself is left alone until it changes.
func (a *attempt) answered(e eviction, v verdict, budgetKnown bool, now time.Time) {
	a.last, a.when, a.pod, a.forced = v, now, e.pod, e.force
	switch {
	case v.outcome == outcomeEvicted:
		a.evicted, a.failures, a.retry = now, 0, time.Time{}
	case v.outcome == outcomeNotPosted:
		a.failures, a.retry = 0, now.Add(unseenRetry)
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

// changed lets a pod that changed since its last request be tried again at once, but not more
// often than leastBackoff: a refused eviction may itself change the pod.
func (a *attempt) changed(pod *corev1.Pod) {
	if a == nil || a.failures == 0 || a.last.retryAfter > 0 {
		return
	}
	if a.pod.Status.Phase != pod.Status.Phase || podReady(a.pod) != podReady(pod) || !apiequality.Semantic.DeepEqual(a.pod.Labels, pod.Labels) {
		a.retry = earlier(a.retry, a.when.Add(leastBackoff))
	}
}

// tried returns what became of the evictions of the node's pods.
func (d *dispatcher) tried(node string) map[types.UID]attempt {
	d.mu.Lock()
	defer d.mu.Unlock()
	attempts := make(map[types.UID]attempt, len(d.attempts[node]))
	for uid, tried := range d.attempts[node] {
		attempts[uid] = *tried
	}
	return attempts
}

// forget drops what is known of the node's pods that are not present.
func (d *dispatcher) forget(node string, present []*corev1.Pod) {
	known := d.attempts[node]
	kept := make(map[types.UID]*attempt, len(known))
	for _, pod := range present {
		if tried := known[pod.UID]; tried != nil {
			kept[pod.UID] = tried
		}
	}
	d.attempts[node] = kept
	if len(kept) == 0 {
		delete(d.attempts, node)
	}
}
