// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// retriesShare is the share of the requests under way (one in so many) up to which pods are
// tried again that were refused before: a webhook that hangs on many of them must not keep the
// others waiting.
const retriesShare = 2

// finishTimeout is how long the requests under way may take to be answered when the dispatcher
// stops.
const finishTimeout = 3 * time.Second

// dispatcher posts all evictions of the process. Reconcile tells it, node by node, which pods
// are to go; it posts each as soon as the API server would let it go, and never waits for one
// pod before it looks at the next.
type dispatcher struct {
	clock   clock.WithTicker
	evicter Evicter
	budgets *budgetBook
	// settled is called with the node when a request for one of its pods was answered.
	settled func(node string)
	wake    chan struct{}
	posts   sync.WaitGroup

	mu       sync.Mutex
	nodes    map[string]*nodeQueue
	sequence int
	attempts map[string]map[types.UID]*attempt
	inFlight sets.Set[types.UID]
	// window bounds the requests under way, and flows those of each budget.
	window window
	flows  flows
}

func newDispatcher(c clock.WithTicker, e Evicter, budgets *budgetBook, limit int, settled func(node string)) *dispatcher {
	return &dispatcher{
		clock: c, evicter: e, budgets: budgets, settled: settled,
		wake:     make(chan struct{}, 1),
		nodes:    map[string]*nodeQueue{},
		attempts: map[string]map[types.UID]*attempt{},
		inFlight: sets.New[types.UID](),
		window:   newWindow(limit),
		flows:    flows{},
	}
}

// nudge has the dispatcher look again soon: a budget or a pod changed.
func (d *dispatcher) nudge() {
	select {
	case d.wake <- struct{}{}:
	default: // it has been told already
	}
}

// run posts evictions until ctx is done, and returns when no request is left.
func (d *dispatcher) run(ctx context.Context) {
	requests, cutOff := context.WithCancel(context.WithoutCancel(ctx))
	defer d.finish(cutOff)
	for ctx.Err() == nil {
		retry := d.dispatch(requests)
		var due <-chan time.Time
		var timer clock.Timer
		if !retry.IsZero() {
			timer = d.clock.NewTimer(max(retry.Sub(d.clock.Now()), time.Millisecond))
			due = timer.C()
		}
		select {
		case <-ctx.Done():
		case <-d.wake:
		case <-due:
		}
		if timer != nil {
			timer.Stop()
		}
	}
}

// finish waits for the requests under way, and cuts them off only when they take too long: the
// API server may have taken the room of a budget already for an eviction that it then gives up,
// and it gives that room back after two minutes at the earliest.
func (d *dispatcher) finish(cutOff context.CancelFunc) {
	ended := make(chan struct{})
	go func() {
		d.posts.Wait()
		close(ended)
	}()
	timer := d.clock.NewTimer(finishTimeout)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C():
	}
	cutOff()
	<-ended
}

// dispatch posts every eviction that may be posted now, and returns when to look again if
// nothing changes until then; zero means that only a change helps.
func (d *dispatcher) dispatch(ctx context.Context) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.clock.Now()
	if now.Before(d.window.pausedUntil) {
		return d.window.pausedUntil
	}
	retry := d.budgets.nextExpiry(now)
	for _, node := range d.inOrder(now) {
		for _, e := range d.nodes[node].evictions {
			if d.inFlight.Len() >= d.window.size {
				return retry
			}
			retry = earlier(retry, d.post(ctx, node, e, now))
		}
	}
	return retry
}

// post starts the request for one pod if it may be made now. Otherwise it returns when it may,
// if time alone decides that.
func (d *dispatcher) post(ctx context.Context, node string, e *queuedEviction, now time.Time) time.Time {
	if d.inFlight.Has(e.pod.UID) {
		return time.Time{}
	}
	if ready, retry := d.ready(d.attempts[node][e.pod.UID], e, now); !ready {
		return retry
	}
	var takes claim
	if !e.force {
		permit := permitFor(e.pod, e.budgetsIn(d.budgets), func(b *budget) int { return d.budgets.room(b, now) })
		if !permit.allowed || (permit.takes != nil && d.flows.full(permit.takes.key)) {
			return time.Time{}
		}
		takes = permit.claim()
	}
	d.begin(node, e, takes, now)
	d.posts.Go(func() {
		err := d.request(ctx, e.eviction, takes.exempt)
		d.answered(ctx, node, e.eviction, takes, judge(err), now)
	})
	return time.Time{}
}

// ready says whether the pod may be tried now, after what became of the last time.
func (d *dispatcher) ready(tried *attempt, e *queuedEviction, now time.Time) (ready bool, retry time.Time) {
	switch {
	case tried == nil:
		return true, time.Time{}
	case !tried.evicted.IsZero():
		return false, time.Time{}
	case e.force && !tried.forced:
		return true, time.Time{} // what was refused was something else
	case now.Before(tried.retry):
		return false, tried.retry
	default:
		return tried.failures == 0 || d.inFlight.Len() < max(d.window.size/retriesShare, 1), time.Time{}
	}
}

// begin notes a request that is about to be made. The caller holds the lock.
func (d *dispatcher) begin(node string, e *queuedEviction, takes claim, now time.Time) {
	d.inFlight.Insert(e.pod.UID)
	d.nodes[node].served = now
	if takes.budget == nil {
		return
	}
	d.budgets.reserve(takes.budget.key, e.pod.Name, now)
	if !takes.exempt {
		d.flows.begin(takes.budget.key)
	}
}

// request asks first whether a pod is as our watch says, where it would be refused otherwise: it may
// have become ready since.
func (d *dispatcher) request(ctx context.Context, e eviction, doubtful bool) error {
	if e.force {
		return d.evicter.Delete(ctx, e.pod, e.gracePeriod)
	}
	if doubtful {
		if err := d.evicter.Unprotected(ctx, e.pod); err != nil {
			return err
		}
	}
	return d.evicter.Evict(ctx, e.pod, e.gracePeriod)
}

// answered takes in the answer to a request that was made at began.
func (d *dispatcher) answered(ctx context.Context, node string, e eviction, takes claim, v verdict, began time.Time) {
	now, pod := d.clock.Now(), e.pod
	d.mu.Lock()
	d.inFlight.Delete(pod.UID)
	d.window.answered(v, now)
	if takes.budget != nil {
		d.budgets.settle(takes, pod.Name, v, now)
		if !takes.exempt {
			d.flows.answered(takes.budget.key, v, now.Sub(began))
		}
	}
	if d.attempts[node] == nil {
		d.attempts[node] = map[types.UID]*attempt{}
	}
	tried := d.attempts[node][pod.UID]
	if tried == nil {
		tried = &attempt{}
		d.attempts[node][pod.UID] = tried
	}
	tried.answered(e, v, takes.budget != nil && !takes.exempt, now)
	d.mu.Unlock()

	countEviction(e, v)
	klog.FromContext(ctx).V(2).Info("Posted eviction", "pod", klog.KObj(pod), "podUID", pod.UID, "node", node, "force", e.force, "exempt", takes.exempt, "outcome", v.outcome, "answer", v.message)
	d.settled(node)
	d.nudge()
}
