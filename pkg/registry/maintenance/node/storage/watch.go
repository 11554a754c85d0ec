// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"sync"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/node/board"
)

// bookmarkAfter is how many changes may pass of which a watch shows none until a bookmark tells its
// client the version. It is less than what the board keeps, so that a new watch can begin there.
const bookmarkAfter = board.Kept / 2

// Watch implements rest.Watcher. A watch begins with the present states, unless it is to go on from the
// version of a list.
func (r *REST) Watch(ctx context.Context, options *metainternalversion.ListOptions) (watch.Interface, error) {
	query, err := newQuery(options)
	if err != nil {
		return nil, err
	}
	w := &stateWatch{board: r.feed.board, query: query, events: make(chan watch.Event)}
	if w.initial, w.version, err = r.begin(ctx, query); err != nil {
		return nil, err
	}
	ctx, w.stop = context.WithCancel(ctx)
	w.running.Go(func() { w.run(ctx) })
	return w, nil
}

// begin returns the states that a watch begins with, and the version from which it goes on.
func (r *REST) begin(ctx context.Context, q query) ([]*v1beta1.NodeState, int64, error) {
	if q.continues() {
		if err := r.feed.start(ctx); err != nil {
			return nil, 0, err
		}
		_, _, known := r.feed.board.Since(q.version)
		return nil, q.version, expiredUnless(known)
	}
	if err := r.feed.fresh(ctx); err != nil {
		return nil, 0, err
	}
	states, version := r.feed.board.States()
	if q.version > version {
		return nil, 0, expiredUnless(false)
	}
	if !q.initialEvents() {
		states = nil
	}
	return states, version, nil
}

// stateWatch is a watch of the board. Nobody waits for its client: if the client is so slow that the board
// no longer knows what comes next, the watch ends, and the client has to list again.
type stateWatch struct {
	board *board.Board
	query query
	// initial are the states that it begins with.
	initial []*v1beta1.NodeState
	// version is that of the last change that was looked at, and sent that of the last event.
	version, sent int64

	events  chan watch.Event
	stop    context.CancelFunc
	running sync.WaitGroup
}

// ResultChan implements watch.Interface.
func (w *stateWatch) ResultChan() <-chan watch.Event { return w.events }

// Stop implements watch.Interface. It returns when the watch has ended.
func (w *stateWatch) Stop() {
	w.stop()
	w.running.Wait()
}

func (w *stateWatch) run(ctx context.Context) {
	defer close(w.events)
	if !w.begin(ctx) {
		return
	}
	for {
		changes, next, known := w.board.Since(w.version)
		if !known {
			w.send(ctx, watch.Event{Type: watch.Error, Object: &expired().ErrStatus})
			return
		}
		if len(changes) == 0 && !wait(ctx, next) || !w.showAll(ctx, changes) {
			return
		}
	}
}

// wait says whether there is something new before ctx ends.
func wait(ctx context.Context, news <-chan struct{}) bool {
	select {
	case <-ctx.Done():
		return false
	case <-news:
		return true
	}
}

func (w *stateWatch) showAll(ctx context.Context, changes []board.Change) bool {
	for i := range changes {
		if !w.show(ctx, &changes[i]) {
			return false
		}
	}
	return true
}

// begin sends the first states. A client that asked for them is told when it has all.
func (w *stateWatch) begin(ctx context.Context) bool {
	w.sent = w.version
	for _, state := range w.initial {
		if w.query.matches(state) && !w.send(ctx, watch.Event{Type: watch.Added, Object: shallow(state)}) {
			return false
		}
	}
	w.initial = nil
	if w.query.bookmarks && w.query.asksForInitialEvents() {
		return w.bookmark(ctx, map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	}
	return true
}

// show sends what the change is to somebody who sees only what the query matches.
func (w *stateWatch) show(ctx context.Context, change *board.Change) bool {
	w.version = change.Version
	event, visible := w.query.event(change)
	if visible {
		w.sent = w.version
		return w.send(ctx, event)
	}
	if w.query.bookmarks && w.version-w.sent >= bookmarkAfter {
		return w.bookmark(ctx, nil)
	}
	return true
}

func (w *stateWatch) bookmark(ctx context.Context, annotations map[string]string) bool {
	w.sent = w.version
	state := &v1beta1.NodeState{ObjectMeta: metav1.ObjectMeta{ResourceVersion: board.Format(w.version), Annotations: annotations}}
	return w.send(ctx, watch.Event{Type: watch.Bookmark, Object: state})
}

// send says whether the event was taken before the watch was ended.
func (w *stateWatch) send(ctx context.Context, event watch.Event) bool {
	select {
	case <-ctx.Done():
		return false
	case w.events <- event:
		return true
	}
}
