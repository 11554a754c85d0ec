// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package workloop has what the loops of the engines share: a queue that has objects visited by name, each with its own
// backoff, so that an error, or a panic, of one holds up no other; a bell that wakes a loop; a recorder of events.
package workloop

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

const (
	leastRetry = 50 * time.Millisecond
	mostRetry  = time.Minute
	// LookAgain is how long what time may change is left alone at most: clocks are set, and machines are suspended.
	LookAgain = time.Hour
)

// Counter counts. A metrics.Counter does.
type Counter interface{ Inc() }

// Config is what a Queue is made from. All of it is required.
type Config struct {
	// Name is the name of the queue in metrics.
	Name string
	// Visit does what is to be done for the object, and says when it is to be visited again; zero: after a change.
	Visit func(ctx context.Context, name string) (again time.Time, err error)
	// Kind is the key of the object's name in the log, such as nodeProfile, and Problem is what is logged if a visit
	// fails.
	Kind, Problem string
	// Failures counts visits that have failed, without conflicts, and Panics those that have panicked.
	Failures, Panics Counter
	// Clock tells the time.
	Clock clock.WithTicker
}

// Queue has the names of objects that are to be visited. Use New.
type Queue struct {
	workqueue.TypedRateLimitingInterface[string]
	config Config
}

// New returns an empty Queue. Nothing is visited until Work. It is to be shut down.
func New(config Config) *Queue {
	return &Queue{config: config, TypedRateLimitingInterface: workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[string](leastRetry, mostRetry),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: config.Name, Clock: config.Clock})}
}

// Work visits one object after the other, until the queue is shut down. Several may do so at the same time: none of them
// visits an object that another one visits.
func (q *Queue) Work(ctx context.Context) {
	for {
		name, shutDown := q.Get()
		if shutDown {
			return
		}
		q.visit(ctx, name)
		q.Done(name)
	}
}

// visit visits an object, and has it visited again when something more is due.
func (q *Queue) visit(ctx context.Context, name string) {
	if ctx.Err() != nil {
		return
	}
	again, err := q.guarded(ctx, name)
	switch {
	case err == nil:
		q.Forget(name)
	case ctx.Err() != nil:
		return
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		klog.FromContext(ctx).V(4).Info("Visiting an object again", q.config.Kind, name, "reason", err.Error())
		q.AddRateLimited(name)
	default:
		q.config.Failures.Inc()
		klog.FromContext(ctx).Error(err, q.config.Problem, q.config.Kind, name)
		q.AddRateLimited(name)
	}
	if !again.IsZero() {
		q.AddAfter(name, Until(again, q.config.Clock.Now()))
	}
}

// guarded turns a panic into an error.
func (q *Queue) guarded(ctx context.Context, name string) (again time.Time, err error) {
	defer Recovered(&err, q.config.Panics)
	return q.config.Visit(ctx, name)
}

// Recovered turns a panic into an error, and counts it. It is to be deferred.
func Recovered(err *error, panics Counter) {
	if r := recover(); r != nil {
		panics.Inc()
		*err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
	}
}

// Until is how long to wait for a moment: LookAgain at most.
func Until(moment, now time.Time) time.Duration {
	return min(max(moment.Sub(now), 0), LookAgain)
}
