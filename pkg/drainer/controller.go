// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

const (
	// workers is how many nodes are looked at at a time. A look never waits for a pod, but it
	// does make requests.
	workers = 16
	// reconcileTimeout bounds one look at a node.
	reconcileTimeout = 30 * time.Second
	leastRetry       = 50 * time.Millisecond
	mostRetry        = 30 * time.Second
)

// Drainer takes nodes out of service for the NodeMaintenances that ask for it, and gives them
// back. Use New.
type Drainer struct {
	config     Config
	marks      marks
	events     events
	caches     *caches
	pods       *podWatches
	selector   podSelector
	budgets    *budgetBook
	dispatcher *dispatcher
	memory     *memory
	heartbeat  heartbeat
	queue      workqueue.TypedRateLimitingInterface[string]
	// started is when Run was called.
	started time.Time
}

// New builds a drain engine. It does nothing until Run. It fails when the configuration lacks
// something.
func New(config Config) (*Drainer, error) {
	if err := config.complete(); err != nil {
		return nil, fmt.Errorf("could not configure drainer: %w", err)
	}
	registerMetrics()
	caches, err := newCaches(config)
	if err != nil {
		return nil, fmt.Errorf("could not build drainer: %w", err)
	}
	d := &Drainer{
		config:   config,
		marks:    newMarks(config.StoreID, config.Taints),
		events:   events{recorder: config.Recorder},
		caches:   caches,
		selector: podSelector{client: config.Kube, daemonSets: caches.daemonSetLister()},
		budgets:  newBudgetBook(),
		memory:   newMemory(),
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](leastRetry, mostRetry),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "drainer", Clock: config.Clock}),
	}
	d.dispatcher = newDispatcher(config.Clock, config.Evicter, d.budgets, config.EvictionsInFlight, d.queue.Add)
	d.pods = newPodWatches(config.Kube, d.queue.Add)
	if err := d.addHandlers(); err != nil {
		return nil, fmt.Errorf("could not build drainer: %w", err)
	}
	return d, nil
}

// Run drains nodes until ctx is done, and returns when everything it started has ended. It is
// to be called once.
func (d *Drainer) Run(ctx context.Context) {
	defer d.queue.ShutDown()
	if ctx.Err() != nil {
		return
	}
	d.started = d.config.Clock.Now()
	logger := klog.FromContext(ctx).WithName("drainer")
	ctx = klog.NewContext(ctx, logger)
	if d.events.recorder == nil {
		recorder, stop := newRecorder(d.config.Kube)
		defer stop()
		d.events.recorder = recorder
	}
	var running sync.WaitGroup
	defer d.pods.close()
	defer running.Wait()
	d.caches.run(ctx, &running)
	logger.Info("Starting drainer", "workers", workers, "evictionsInFlight", d.config.EvictionsInFlight)
	if !cache.WaitForCacheSync(ctx.Done(), d.caches.syncedFuncs()...) {
		return
	}
	logger.Info("Drainer is ready")
	running.Go(func() { d.dispatcher.run(ctx) })
	running.Go(func() { d.heartbeat.run(ctx, d.config.Clock, d.queue.Add) })
	for range workers {
		running.Go(func() { d.work(ctx) })
	}
	<-ctx.Done()
	d.queue.ShutDown()
	logger.Info("Stopping drainer")
}

// Wake has the node looked at soon. It never blocks; losing a call does no harm, since the
// engine watches what it acts on.
func (d *Drainer) Wake(node string) {
	if node != heartbeatKey {
		d.queue.Add(node)
	}
}

// Ready says why nothing can be decided yet; nil when the caches are synced.
func (d *Drainer) Ready() error {
	if err := d.caches.missing(); err != nil {
		return fmt.Errorf("drainer is not ready: %w", err)
	}
	return nil
}

// Healthy says why the engine is taken to be stuck; nil while its loop ticks, and while it does
// not run.
func (d *Drainer) Healthy() error { return d.heartbeat.missed(d.config.Clock.Now()) }

// work takes one node after the other from the queue, until the queue is shut down.
func (d *Drainer) work(ctx context.Context) {
	for {
		node, shutDown := d.queue.Get()
		if shutDown {
			return
		}
		d.visit(ctx, node)
		d.queue.Done(node)
	}
}

func (d *Drainer) visit(ctx context.Context, node string) {
	if ctx.Err() != nil {
		return
	}
	if node == heartbeatKey {
		d.heartbeat.beat(d.config.Clock.Now())
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reconcileTimeout)
	defer cancel()
	again, err := d.reconcile(ctx, node)
	switch {
	case err == nil:
		d.queue.Forget(node)
	case againLater(err):
		klog.FromContext(ctx).V(4).Info("Looking at node again", "node", node, "reason", err.Error())
		d.queue.AddRateLimited(node)
	default:
		klog.FromContext(ctx).Error(err, "Could not reconcile node", "node", node)
		d.queue.AddRateLimited(node)
	}
	if again > 0 {
		d.queue.AddAfter(node, again)
	}
}
