// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

const (
	// settles is after how long a change of one object is looked at, with those that follow until then.
	settles = 100 * time.Millisecond
	// manySettle is that for checks about all objects, which cost more, and whose objects may change all the time.
	manySettle = time.Second
)

// run starts and ends informers until ctx is done, and then waits until all of them have ended.
func (w *watches) run(ctx context.Context) {
	w.queue = workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[change]{Clock: w.config.Clock})
	var running sync.WaitGroup
	defer running.Wait()
	defer w.queue.ShutDown()
	running.Go(w.look)
	for ctx.Err() == nil {
		next := w.tend(ctx, &running)
		w.bell.Await(ctx, w.config.Clock, next)
	}
}

// look looks at what may have changed until the queue ends.
func (w *watches) look() {
	for {
		next, ended := w.queue.Get()
		if ended {
			return
		}
		w.changed(w.concerned(next))
		w.queue.Done(next)
	}
}

// tend starts the informers that are followed, and ends those that nobody has followed for a while. It returns after how
// long to do so again; zero: only when something changes.
func (w *watches) tend(ctx context.Context, running *sync.WaitGroup) (next time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.config.Clock.Now()
	for _, known := range w.known {
		switch left := known.unwanted.Add(lingers).Sub(now); {
		case len(known.followers) > 0 && known.stop == nil:
			w.start(ctx, known, running)
		case len(known.followers) > 0:
		case left <= 0 || known.stop == nil:
			w.end(known)
		default:
			next = due.Sooner(next, left)
		}
	}
	if len(w.refused) > 0 && w.readmit() {
		w.bell.Ring()
	}
	return next
}

// readmit lets those in who wait for room, and says whether somebody was.
func (w *watches) readmit() (admitted bool) {
	for s, selected := range maps.Clone(w.refused) {
		delete(w.refused, s)
		w.admit(s, selected)
		if known := w.known[selected]; known != nil {
			admitted = true
			w.queue.Add(change{known, s.about})
		}
	}
	return admitted
}

// start starts an informer.
func (w *watches) start(ctx context.Context, known *watched, running *sync.WaitGroup) {
	ctx, known.stop = context.WithCancel(ctx)
	informer, err := newInformer(w.config.Objects, known.selection, func(ctx context.Context, err error) {
		if ctx.Err() == nil {
			w.note(known, err)
		}
	})
	if err == nil {
		known.informer = informer
		_, err = informer.AddEventHandler(w.changes(known))
	}
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not prepare a watch", "resource", known.String())
		return
	}
	running.Go(func() { informer.RunWithContext(ctx) })
	running.Go(func() {
		select {
		case <-informer.HasSyncedChecker().Done():
			w.synced(known)
		case <-ctx.Done():
		}
	})
}
