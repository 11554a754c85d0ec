// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"context"

	"k8s.io/apimachinery/pkg/watch"
)

// changedEvents are the events of a watch, changed.
type changedEvents struct {
	watch.Interface
	events chan watch.Event
}

// EachEvent returns the events of a watch as change returns them, without those for which it says no. It ends with the
// watch, or with ctx.
func EachEvent(ctx context.Context, stored watch.Interface, change func(watch.Event) (watch.Event, bool)) watch.Interface {
	w := &changedEvents{Interface: stored, events: make(chan watch.Event)}
	go w.run(ctx, change)
	return w
}

// ResultChan implements watch.Interface.
func (w *changedEvents) ResultChan() <-chan watch.Event { return w.events }

func (w *changedEvents) run(ctx context.Context, change func(watch.Event) (watch.Event, bool)) {
	defer close(w.events)
	for event := range w.Interface.ResultChan() {
		changed, keep := change(event)
		if !keep {
			continue
		}
		select {
		case w.events <- changed:
		case <-ctx.Done():
			return
		}
	}
}
