// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// Watch watches the virtual machines and migrations of the cluster as long as a drain moves a virtual
// machine. Before and after that it makes no request. Use NewWatch.
type Watch struct {
	client dynamic.Interface
	clock  clock.WithTicker
	// changed is called with a followed node when its states may say something else.
	changed func(node string)

	mu sync.Mutex
	// nodes are those with machines that are to leave.
	nodes sets.Set[string]
	// stop ends the watch; nil while there is none.
	stop context.CancelFunc
	// began is the time when the watch began, and refused says that it was refused since then.
	began   time.Time
	refused bool
	// resume keeps a watch that no node needs from being ended; nil while a node needs it.
	resume context.CancelFunc
	// caches are what is known; nil while nothing is.
	caches  *caches
	running sync.WaitGroup
}

const (
	// idleTime is how long the watch goes on after the last node needed it: each new watch lists all machines.
	idleTime = time.Minute
	// syncTime is how long to wait at most until the first machines are known.
	syncTime = 5 * time.Second
)

// NewWatch returns a Watch that does nothing until Follow. Without a client it never does anything.
// changed must not block.
func NewWatch(client dynamic.Interface, clock clock.WithTicker, changed func(node string)) *Watch {
	return &Watch{client: client, clock: clock, changed: changed, nodes: sets.New[string]()}
}

// Follow says whether virtual machines are to leave the node. The watch begins with the first such node,
// and ends a minute after the last. The end of ctx does not end it: Close does.
func (w *Watch) Follow(ctx context.Context, node string, machines bool) {
	if w.client == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !machines {
		w.nodes.Delete(node)
		w.endLater(ctx)
		return
	}
	w.nodes.Insert(node)
	if w.resume != nil {
		w.resume()
		w.resume = nil
	}
	if w.stop == nil {
		ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx))
		w.began, w.refused = w.clock.Now(), false
		w.running.Go(func() { w.run(ctx) })
	}
}

// endLater ends the watch in a while if no node needs it until then. The caller holds the lock.
func (w *Watch) endLater(ctx context.Context) {
	if w.stop == nil || w.resume != nil || len(w.nodes) > 0 {
		return
	}
	ctx, w.resume = context.WithCancel(context.WithoutCancel(ctx))
	w.running.Go(func() {
		timer := w.clock.NewTimer(idleTime)
		defer timer.Stop()
		select {
		case <-ctx.Done():
		case <-timer.C():
			w.endIdle(ctx)
		}
	})
}

// endIdle ends the watch unless it was resumed meanwhile.
func (w *Watch) endIdle(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() == nil {
		w.end()
	}
}

// end ends the watch without waiting for its goroutines. The caller holds the lock.
func (w *Watch) end() {
	for _, stop := range []context.CancelFunc{w.stop, w.resume} {
		if stop != nil {
			stop()
		}
	}
	w.stop, w.resume, w.caches = nil, nil, nil
}

// Awaits is until when to wait for what the watch will tell of the machines; zero: there is nothing to wait
// for. It is for a node that is followed, and for which States has just returned nil. The node is looked at
// again when something is known.
func (w *Watch) Awaits() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop == nil || w.refused {
		return time.Time{}
	}
	return w.began.Add(syncTime)
}

// Close ends the watch, and returns when no goroutine of it is left.
func (w *Watch) Close() {
	w.mu.Lock()
	w.nodes.Clear()
	w.end()
	w.mu.Unlock()
	w.running.Wait()
}

// States says what becomes of the machines of the pods on the node. Migrations that failed before since do not
// count. Nothing is known until the watch has synced, and without the permission to watch.
func (w *Watch) States(node string, pods []*corev1.Pod, since time.Time) States {
	w.mu.Lock()
	known := w.caches
	w.mu.Unlock()
	if known == nil {
		return nil
	}
	return known.facts().states(node, pods, since)
}

// run watches until ctx is done. Where it may not, it tries again every askAgain.
func (w *Watch) run(ctx context.Context) {
	for ctx.Err() == nil {
		w.watch(ctx)
		w.show(ctx, nil)
		timer := w.clock.NewTimer(askAgain)
		select {
		case <-ctx.Done():
		case <-timer.C():
		}
		timer.Stop()
	}
}

// watch returns when ctx is done, or when the API server refuses.
func (w *Watch) watch(ctx context.Context) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	known, err := newCaches(w.client, w.changes(), end)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not watch virtual machines")
		return
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { known.machines.RunWithContext(ctx) })
	running.Go(func() { known.migrations.RunWithContext(ctx) })
	if cache.WaitForCacheSync(ctx.Done(), known.machines.HasSynced, known.migrations.HasSynced) {
		w.show(ctx, known)
	}
	<-ctx.Done()
}

// show makes what is known the answer of States, unless the watch has ended meanwhile.
func (w *Watch) show(ctx context.Context, known *caches) {
	w.mu.Lock()
	ended := ctx.Err() != nil
	if !ended {
		w.caches, w.refused = known, known == nil
	}
	w.mu.Unlock()
	if !ended {
		w.wake(w.followed()...)
	}
}

func (w *Watch) followed() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.nodes.UnsortedList()
}

// wake tells of those of the nodes that are followed.
func (w *Watch) wake(nodes ...string) {
	followed := sets.New(w.followed()...)
	for node := range sets.New(nodes...) {
		if followed.Has(node) {
			w.changed(node)
		}
	}
}
