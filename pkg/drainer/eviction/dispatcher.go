// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// retriesShare bounds the retries. A pod that was refused before is retried only while less than one in
// retriesShare of the window is in use. So a webhook that hangs on many pods does not hold up the
// others.
const retriesShare = 2

// finishTimeout is how long the requests under way may take to be answered when the dispatcher
// stops. Another process may lead only after that.
const finishTimeout = 2 * time.Second

// Config is what a Dispatcher is made from. All fields are required.
type Config struct {
	// Clock tells the time.
	Clock clock.WithTicker
	// Client makes the requests.
	Client Client
	// Budgets are the disruption budgets of the cluster.
	Budgets *Budgets
	// InFlight bounds the requests under way, over all nodes.
	InFlight int
	// Changed is called with a node when its plan may say something else now: a request for one of
	// its pods did not succeed, or a budget of a waiting pod changed. It must not block. What becomes
	// of a pod whose eviction was accepted is for the pod's watch to show.
	Changed func(node string)
}

// Dispatcher posts all evictions of the process. It is told, node by node, which pods are to go. It
// posts each as soon as the API server would let it go, and never waits for one pod before it
// looks at the next. Use NewDispatcher.
type Dispatcher struct {
	clock   clock.WithTicker
	client  Client
	budgets *Budgets
	changed func(node string)
	wake    workloop.Bell
	posts   sync.WaitGroup

	// mu guards what follows. The lock of budgets may be taken while it is held, not the other way
	// round.
	mu       sync.Mutex
	nodes    map[string]*nodeQueue
	sequence int
	attempts map[string]map[types.UID]*Attempt
	inFlight sets.Set[types.UID]
	window   window
	flows    flows
}

// NewDispatcher returns a dispatcher that does nothing until Run.
func NewDispatcher(config Config) *Dispatcher {
	registerMetrics()
	return &Dispatcher{
		clock: config.Clock, client: config.Client, budgets: config.Budgets, changed: config.Changed,
		wake:     workloop.NewBell(),
		nodes:    map[string]*nodeQueue{},
		attempts: map[string]map[types.UID]*Attempt{},
		inFlight: sets.New[types.UID](),
		window:   newWindow(config.InFlight),
		flows:    flows{},
	}
}

// Run posts evictions until ctx is done, and returns when no request is left. It is to be called
// once.
func (d *Dispatcher) Run(ctx context.Context) {
	defer d.budgets.observe(d.budgetChanged)()
	requests, cutOff := context.WithCancel(context.WithoutCancel(ctx))
	defer d.finish(cutOff)
	for ctx.Err() == nil {
		d.wake.AwaitUntil(ctx, d.clock, d.dispatch(requests))
	}
}

// nudge wakes the dispatcher, so that it goes through the queues again.
func (d *Dispatcher) nudge() { d.wake.Ring() }

// budgetChanged wakes the dispatcher, since the budget may allow evictions now. Nodes that wait for the
// budget are planned again.
func (d *Dispatcher) budgetChanged(change budgetChange) {
	d.nudge()
	if change.same && !change.selection {
		return
	}
	for _, node := range d.affectedBy(change) {
		d.changed(node)
	}
}

// finish waits for the requests under way, and cancels them only after finishTimeout. The API server
// may already have taken room of a budget for a request that is cancelled, and that room is free again
// only after two minutes.
func (d *Dispatcher) finish(cutOff context.CancelFunc) {
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
// nothing changes until then.
func (d *Dispatcher) dispatch(ctx context.Context) time.Time {
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
			retry = due.Earlier(retry, d.post(ctx, node, e, now))
		}
	}
	return retry
}

// post starts the request for one pod if it may be made now. If only time is missing for that, it
// returns when to try; else zero.
func (d *Dispatcher) post(ctx context.Context, node string, e *queuedEviction, now time.Time) time.Time {
	if d.inFlight.Has(e.Pod.UID) {
		return time.Time{}
	}
	if ready, retry := d.ready(d.attempts[node][e.Pod.UID], e, now); !ready {
		return retry
	}
	permit := Permit{Allowed: true}
	if !e.Force {
		permit = PermitFor(e.Pod, d.budgets.budgetsOf(e), func(b *Budget) int { return d.budgets.roomNow(b, now) })
		if !permit.Allowed && !e.Asks {
			return time.Time{}
		}
		if free, retry := d.free(permit, now); !free {
			return retry
		}
	}
	uses := permit.uses()
	d.begin(node, e, permit, now)
	d.posts.Go(func() {
		answer := newAnswer(d.request(ctx, e.Eviction, uses.exempt))
		known := uses.exempt && answer.Outcome == Evicted && d.readBudget(ctx, uses.budget.Name)
		d.answered(ctx, node, e.Eviction, uses, answer, known)
	})
	return time.Time{}
}

// readBudget reads the budget after the eviction of an exempt pod, and says whether it could. Such an
// eviction takes room only if the pod became ready in the last moment. The budget's watch may show that
// later than the reservation lasts.
func (d *Dispatcher) readBudget(ctx context.Context, name types.NamespacedName) bool {
	pdb, err := d.client.Budget(ctx, name)
	if err != nil {
		klog.FromContext(ctx).V(2).Info("Could not read disruption budget", "budget", name, "err", err)
		return false
	}
	d.budgets.refresh(pdb, d.clock.Now())
	return true
}

// free says whether the flow of the budget whose room is taken lets another eviction be posted now. If
// only time is missing for that, retry is when to try; else zero.
func (d *Dispatcher) free(permit Permit, now time.Time) (free bool, retry time.Time) {
	if permit.Takes == nil {
		return true, time.Time{}
	}
	budget := permit.Takes.Name
	return d.flows[budget].free(func(pod string) bool { return !d.budgets.isReserved(budget, pod) }, now)
}

// ready says whether a request for the pod may be made now, after the result of the last one. If only
// time is missing for that, retry is when to try; else zero.
func (d *Dispatcher) ready(tried *Attempt, e *queuedEviction, now time.Time) (ready bool, retry time.Time) {
	switch {
	case tried == nil:
		return true, time.Time{}
	case !tried.Evicted.IsZero() && (tried.removed || !e.removes()):
		return false, time.Time{}
	case e.Force && !tried.forced:
		return true, time.Time{} // an eviction was refused, this is a delete
	case now.Before(tried.retry):
		return false, tried.retry
	default:
		return tried.Failures == 0 || d.inFlight.Len() < max(d.window.size/retriesShare, 1), time.Time{}
	}
}

// begin records a request that is about to be made. One that only asks does not bring the node nearer to
// being empty, so the node may still be passed over. The caller holds the lock.
func (d *Dispatcher) begin(node string, e *queuedEviction, permit Permit, now time.Time) {
	d.inFlight.Insert(e.Pod.UID)
	if permit.Allowed {
		d.nodes[node].served = now
	}
	uses := permit.uses()
	if uses.budget == nil {
		return
	}
	d.budgets.reserve(uses.budget.Name, e.Pod.Name, now)
	if !uses.exempt {
		d.flows.begin(uses.budget.Name, e.Pod, now)
	}
}

// request makes the request. A doubtful pod is exempt from its budget only while it is not ready: the
// API server is asked first whether that is still so.
func (d *Dispatcher) request(ctx context.Context, e Eviction, doubtful bool) error {
	if e.Force {
		return d.client.Delete(ctx, e.Pod, e.GracePeriodSeconds)
	}
	if doubtful {
		if err := d.client.Unprotected(ctx, e.Pod); err != nil {
			return err
		}
	}
	return d.client.Evict(ctx, e.Pod, e.GracePeriodSeconds)
}

// answered records the answer to a request, and logs and counts it. budgetKnown says that the budget
// was read after that request.
func (d *Dispatcher) answered(ctx context.Context, node string, e Eviction, uses use, a Answer, budgetKnown bool) {
	wanted := d.settle(node, e, uses, a, budgetKnown)
	countAnswer(e, a)
	klog.FromContext(ctx).V(2).Info("Posted eviction", "pod", klog.KObj(e.Pod), "podUID", e.Pod.UID, "node", node,
		"force", e.Force, "exempt", uses.exempt, "outcome", a.Outcome, "answer", a.Message)
	// The pod's watch shows an accepted eviction. A node that is not drained any more has its attempts
	// forgotten.
	if a.Outcome != Evicted || !wanted {
		d.changed(node)
	}
	d.nudge()
}

// settle records the answer in the window, the budget's room and flow, and the pod's attempt. It says
// whether the node still wants pods evicted.
func (d *Dispatcher) settle(node string, e Eviction, uses use, a Answer, budgetKnown bool) (wanted bool) {
	now := d.clock.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inFlight.Delete(e.Pod.UID)
	d.window.take(a, now)
	if uses.budget != nil {
		d.budgets.settle(uses, e.Pod.Name, a, budgetKnown, now)
		if !uses.exempt {
			d.flows.end(uses.budget.Name, e.Pod, a, now, d.window.most)
		}
	}
	d.attempt(node, e.Pod).take(a, e, uses.budget != nil && !uses.exempt, now)
	return d.nodes[node] != nil
}
