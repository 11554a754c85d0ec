// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
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

// eviction is one pod that a node's plan wants evicted.
type eviction struct {
	pod         *corev1.Pod
	gracePeriod *int64
}

// attempt is what became of the evictions of one pod so far.
type attempt struct {
	// evicted is when the API server accepted the eviction; zero before. Such a pod is never
	// posted again, however late its deletion is seen.
	evicted time.Time
	// last is the answer to the last request, made at when for the pod as it was then.
	last verdict
	when time.Time
	pod  *corev1.Pod
	// failures counts the requests that failed in a row; retry is when the next may be made.
	failures int
	retry    time.Time
}

// dispatcher posts all evictions of the process. Reconcile tells it, node by node, which pods
// are to go; it posts each as soon as the API server would let it go, and never waits for one
// pod before it looks at the next.
type dispatcher struct {
	clock   clock.WithTicker
	evicter evicter
	budgets *budgetBook
	// limit bounds the requests under way.
	limit int
	// settled is called with the node when a request for one of its pods was answered.
	settled func(node string)
	wake    chan struct{}
	posts   sync.WaitGroup

	mu       sync.Mutex
	nodes    map[string]*nodeQueue
	sequence int
	attempts map[string]map[types.UID]*attempt
	inFlight sets.Set[types.UID]
	// busy are the budgets with an eviction under way: more than one at a time makes the API
	// server's own updates of the budget collide.
	busy sets.Set[types.NamespacedName]
}

// nodeQueue is what one node wants evicted.
type nodeQueue struct {
	// sequence orders the nodes by when their drain began.
	sequence  int
	evictions []*queuedEviction
}

// queuedEviction remembers which budgets select the pod: the queue is gone through at every
// change of any budget, but which budgets select which pods hardly ever changes.
type queuedEviction struct {
	eviction
	budgets   []types.NamespacedName
	selection int
}

func (e *queuedEviction) budgetsIn(book *budgetBook) []*budget {
	if now := book.selectionNow(); e.selection != now {
		e.budgets, e.selection = nil, now
		for _, b := range book.of(e.pod) {
			e.budgets = append(e.budgets, b.key)
		}
	}
	if len(e.budgets) == 0 {
		return nil
	}
	return book.named(e.budgets)
}

func newDispatcher(c clock.WithTicker, e evicter, budgets *budgetBook, limit int, settled func(node string)) *dispatcher {
	return &dispatcher{
		clock: c, evicter: e, budgets: budgets, limit: limit, settled: settled,
		wake:     make(chan struct{}, 1),
		nodes:    map[string]*nodeQueue{},
		attempts: map[string]map[types.UID]*attempt{},
		inFlight: sets.New[types.UID](),
		busy:     sets.New[types.NamespacedName](),
	}
}

// want replaces what is to be evicted from the node. present are the node's pods; what is
// known of others of its pods is forgotten.
func (d *dispatcher) want(node string, evictions []eviction, present []*corev1.Pod) {
	d.mu.Lock()
	defer d.mu.Unlock()
	queue := d.nodes[node]
	if queue == nil {
		d.sequence++
		queue = &nodeQueue{sequence: d.sequence}
		d.nodes[node] = queue
	}
	d.forget(node, present)
	queue.evictions = make([]*queuedEviction, 0, len(evictions))
	for _, e := range evictions {
		queue.evictions = append(queue.evictions, &queuedEviction{eviction: e, selection: -1})
		d.attempts[node][e.pod.UID].changed(e.pod)
	}
	d.nudge()
}

// cancel takes the node's pods out of the queue. A request under way is let finish.
func (d *dispatcher) cancel(node string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.nodes, node)
	d.forget(node, nil)
}

// forget drops what is known of the node's pods that are not present. A pod whose request is
// under way stays known until it is answered.
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

// waitingIn are the nodes that want pods of the namespace evicted.
func (d *dispatcher) waitingIn(namespace string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var nodes []string
	for node, queue := range d.nodes {
		if slices.ContainsFunc(queue.evictions, func(e *queuedEviction) bool { return e.pod.Namespace == namespace }) {
			nodes = append(nodes, node)
		}
	}
	return nodes
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
	retry := d.budgets.nextExpiry(now)
	for _, node := range d.inOrder() {
		for _, e := range d.nodes[node].evictions {
			if d.inFlight.Len() >= d.limit {
				return retry
			}
			retry = earlier(retry, d.post(ctx, node, e, now))
		}
	}
	return retry
}

// inOrder lists the nodes, the longest draining first. Every node is looked at each time, so
// none has to wait for another's pods.
func (d *dispatcher) inOrder() []string {
	nodes := make([]string, 0, len(d.nodes))
	for node := range d.nodes {
		nodes = append(nodes, node)
	}
	slices.SortFunc(nodes, func(a, b string) int { return cmp.Compare(d.nodes[a].sequence, d.nodes[b].sequence) })
	return nodes
}

// post starts the request for one pod if it may be made now. Otherwise it returns when it may,
// if time alone decides that.
func (d *dispatcher) post(ctx context.Context, node string, e *queuedEviction, now time.Time) time.Time {
	uid := e.pod.UID
	if d.inFlight.Has(uid) {
		return time.Time{}
	}
	if tried := d.attempts[node][uid]; tried != nil {
		if !tried.evicted.IsZero() {
			return time.Time{}
		}
		if now.Before(tried.retry) {
			return tried.retry
		}
		if tried.failures > 0 && d.inFlight.Len() >= max(d.limit/retriesShare, 1) {
			return time.Time{}
		}
	}
	permit := permitFor(e.pod, e.budgetsIn(d.budgets), func(b *budget) int { return d.budgets.room(b, now) })
	if !permit.allowed || (permit.takes != nil && d.busy.Has(permit.takes.key)) {
		return time.Time{}
	}
	d.inFlight.Insert(uid)
	if permit.takes != nil {
		d.busy.Insert(permit.takes.key)
		d.budgets.reserve(permit.takes.key, e.pod.Name)
	}
	d.posts.Go(func() {
		err := d.evicter.evict(ctx, e.pod, e.gracePeriod)
		d.answered(ctx, node, e.pod, permit.takes, judge(err))
	})
	return time.Time{}
}

// answered takes in the answer to a request.
func (d *dispatcher) answered(ctx context.Context, node string, pod *corev1.Pod, takes *budget, v verdict) {
	now := d.clock.Now()
	d.mu.Lock()
	d.inFlight.Delete(pod.UID)
	if takes != nil {
		d.busy.Delete(takes.key)
		d.budgets.settle(takes, pod.Name, v, now)
	}
	if d.attempts[node] == nil {
		d.attempts[node] = map[types.UID]*attempt{}
	}
	tried := d.attempts[node][pod.UID]
	if tried == nil {
		tried = &attempt{}
		d.attempts[node][pod.UID] = tried
	}
	tried.answered(pod, v, takes != nil, now)
	d.mu.Unlock()

	countEviction(v.outcome)
	klog.FromContext(ctx).V(2).Info("Posted eviction", "pod", klog.KObj(pod), "podUID", pod.UID, "node", node, "outcome", v.outcome, "answer", v.message)
	d.settled(node)
	d.nudge()
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
