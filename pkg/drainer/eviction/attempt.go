// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/kubectl/pkg/util/podutils"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

const (
	leastBackoff  = time.Second
	mostBackoff   = time.Minute
	backoffJitter = 0.2
	// unseenRetry is how soon a pod is retried that had become ready before our watch showed it.
	// Usually the watch shows it earlier, and wakes the dispatcher.
	unseenRetry = 250 * time.Millisecond
)

// Attempt records the requests to remove one pod so far, and their results.
type Attempt struct {
	// Evicted is the time when the API server accepted a request; zero before. Such a pod is never
	// posted again, however late its deletion is seen, but to be removed at once.
	Evicted time.Time
	// Last is the answer to the last request.
	Last Answer
	// Failures counts the requests that failed in a row.
	Failures int

	// answered is the time when Last came.
	answered time.Time
	// pod is the pod as it was at the last request.
	pod *corev1.Pod
	// forced says that the last request was to delete the pod.
	forced bool
	// removed says that a request to remove the pod at once was accepted.
	removed bool
	// retry is the time when the next request may be made.
	retry time.Time
}

// take records the answer to a request for the pod. budgetKnown says that the request used room of a
// budget that the watch shows. If that budget refused it, the pod needs no backoff of its own: nothing
// is posted for the budget until it changes.
func (t *Attempt) take(a Answer, of Eviction, budgetKnown bool, now time.Time) {
	t.Last, t.answered, t.pod, t.forced = a, now, of.Pod, of.Force
	switch {
	case a.Outcome == Evicted:
		t.Evicted, t.Failures, t.retry, t.removed = now, 0, time.Time{}, of.removes()
	case a.Outcome == NotPosted:
		t.Failures, t.retry = 0, now.Add(unseenRetry)
	case a.Outcome == DisruptionBudget && budgetKnown:
		t.Failures, t.retry = 0, time.Time{}
	default:
		t.Failures++
		t.retry = now.Add(backoff(t.Failures, a.retryAfter))
	}
}

// backoff is how long to wait after that many failures in a row. It is at least as long as the API
// server asked for.
func backoff(failures int, asked time.Duration) time.Duration {
	delay := mostBackoff
	if doublings := failures - 1; doublings < 6 {
		delay = min(leastBackoff<<doublings, mostBackoff)
	}
	return max(wait.Jitter(delay, backoffJitter), asked)
}

// see brings the next request forward when the pod has changed since the last one. It keeps
// leastBackoff between the two, since a refused eviction may itself change the pod.
func (t *Attempt) see(pod *corev1.Pod) {
	if t == nil || t.Failures == 0 || t.Last.retryAfter > 0 {
		return
	}
	if t.pod.Status.Phase != pod.Status.Phase || podutils.IsPodReady(t.pod) != podutils.IsPodReady(pod) ||
		!apiequality.Semantic.DeepEqual(t.pod.Labels, pod.Labels) {
		t.retry = due.Earlier(t.retry, t.answered.Add(leastBackoff))
	}
}
