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

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/clusterwatch"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

const (
	// workers is how many nodes are looked at at the same time. A look never waits for a pod, but it
	// does make requests.
	workers = 16
	// reconcileTimeout bounds one reconcile of a node.
	reconcileTimeout = 30 * time.Second
	leastRetry       = 50 * time.Millisecond
	mostRetry        = 30 * time.Second
)

// leader is the work of the one process that leads, from when it begins to lead until it stops. A new
// one is made each time, so that nothing older is used.
type leader struct {
	config    Config
	watcher   *clusterwatch.Watcher
	queue     workqueue.TypedRateLimitingInterface[string]
	heartbeat heartbeat
	memory    *memory
	// holds, nodes and drains do what a reconcile of a node finds to be done. gate says when a node may be
	// taken out of service.
	holds  holdWriter
	nodes  nodeWriter
	drains *drains
	gate   gates
	// does says who does which step.
	does map[step]deed
	// reporter tells people what was done.
	reporter *reporter
}

func newLeader(config Config, watcher *clusterwatch.Watcher) *leader {
	l := &leader{
		config: config, watcher: watcher, memory: newMemory(), gate: config.Gates,
		holds: holdWriter{client: config.Maintenance, clock: config.Clock},
		nodes: nodeWriter{client: config.Kube, marks: nodemarks.NewMarks(config.StoreID, config.Taints), clock: config.Clock},
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](leastRetry, mostRetry),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "drainer", Clock: config.Clock}),
	}
	l.drains = newDrains(config, watcher, l.queue.Add)
	l.reporter = newReporter(config)
	l.does = l.deeds()
	return l
}

// run leads until ctx is done, does what is to be done beside that, and returns when everything it started has ended. It
// fails then if a request may still be carried out that the next leader has to know of.
func (l *leader) run(ctx context.Context, beside []func(context.Context)) (err error) {
	defer l.queue.ShutDown()
	defer l.memory.clear(l.reporter)
	logger := klog.FromContext(ctx)
	defer l.reporter.record(l.config)()
	synced, unwatch, err := l.watch()
	defer unwatch()
	if err != nil {
		return fmt.Errorf("could not watch what the drainer acts on: %w", err)
	}
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return nil // ctx is done
	}
	logger.Info("Drainer leads", "workers", workers, "evictionsInFlight", l.config.EvictionsInFlight)
	var running sync.WaitGroup
	defer l.drains.close()
	defer func() {
		running.Wait()
		err = l.drains.unsure()
	}()
	running.Go(func() { l.drains.dispatcher.Run(ctx) })
	running.Go(func() { l.gate.run(ctx, l.wakeForGate) })
	running.Go(func() { l.heartbeat.run(ctx, l.config.Clock, l.queue.Add) })
	for _, work := range beside {
		running.Go(func() { work(ctx) })
	}
	for range workers {
		running.Go(func() { l.work(ctx) })
	}
	<-ctx.Done()
	l.queue.ShutDown()
	logger.Info("Drainer stops leading")
	return nil
}

// wakeForGate puts a node that a gate names into the queue.
func (l *leader) wakeForGate(node string) {
	l.memory.name(node)
	l.queue.Add(node)
}

// work takes one node after the other from the queue, until the queue is shut down.
func (l *leader) work(ctx context.Context) {
	for {
		node, shutDown := l.queue.Get()
		if shutDown {
			return
		}
		l.heartbeat.beat(l.config.Clock.Now())
		l.visit(ctx, node)
		l.queue.Done(node)
		l.heartbeat.beat(l.config.Clock.Now())
	}
}

// visit looks at one node, and puts it into the queue again if another look is due.
func (l *leader) visit(ctx context.Context, node string) {
	if ctx.Err() != nil || node == heartbeatKey {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reconcileTimeout)
	defer cancel()
	did := l.reconcile(ctx, node)
	switch {
	case did.err == nil:
		l.queue.Forget(node)
	case againLater(did.err):
		klog.FromContext(ctx).V(4).Info("Looking at node again", "node", node, "reason", did.err.Error())
		l.queue.AddRateLimited(node)
	default:
		klog.FromContext(ctx).Error(did.err, "Could not reconcile node", "node", node)
		l.queue.AddRateLimited(node)
	}
	if did.again > 0 {
		l.queue.AddAfter(node, did.again)
	}
}
