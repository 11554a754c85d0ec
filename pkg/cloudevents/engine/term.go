// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	typed "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/readyourwrites"
	"github.com/medik8s/maintenance-apiserver/pkg/serverholds"
	"github.com/medik8s/maintenance-apiserver/pkg/watched"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

const (
	// workers is how many events are visited at the same time. Machine APIs may be slow.
	workers = 4
	// moveTimeout bounds a move.
	moveTimeout = time.Minute
	// askAgain is the time after which this server is asked again that could not be asked.
	askAgain = time.Second
)

// term is the work of one term of leading, from the first event on. A new one is made each time, so that nothing older is
// used.
type term struct {
	*Engine
	client   typed.ScheduledEventInterface
	events   cache.SharedIndexInformer
	queue    *workloop.Queue
	holds    *serverholds.Holds
	latest   readyourwrites.Objects[*v1beta1.ScheduledEvent]
	notes    notes
	recorder record.EventRecorder
	// deciding has events be decided one after the other that depend on what others have begun.
	deciding sync.Mutex
	// idle ends the term.
	idle func()
}

// Lead does what ScheduledEvents ask for until ctx is done, and returns when everything it started has ended. Without
// events it waits for the first one. It may be called again, and remembers nothing of the time before.
func (e *Engine) Lead(ctx context.Context) {
	ctx, stop := context.WithCancel(klog.NewContext(ctx, klog.FromContext(ctx).WithName("events")))
	var watching sync.WaitGroup
	defer watching.Wait()
	defer stop()
	events := watched.New(
		watched.Config{By: "events", Resource: "scheduledevents", Clients: e.config.Maintenance, Kind: "ScheduledEvent", Clock: e.config.Clock},
		e.config.Maintenance.MaintenanceV1beta1().ScheduledEvents(), &v1beta1.ScheduledEvent{})
	watching.Go(func() { events.RunWithContext(ctx) })
	if !cache.WaitForCacheSync(ctx.Done(), events.HasSynced) {
		return
	}
	for workloop.AwaitWork(ctx, events) {
		e.lead(ctx, events)
	}
}

// lead does what events ask for until ctx is done, or there are none any more.
func (e *Engine) lead(ctx context.Context, events cache.SharedIndexInformer) {
	ctx, stop := context.WithCancel(ctx)
	t, stopRecording := e.newTerm(events, stop)
	var running sync.WaitGroup
	defer stopRecording()
	defer resetGauges()
	defer running.Wait()
	defer t.queue.ShutDown()
	defer stop()
	if !t.confirmAll(ctx) {
		return
	}
	unfollow, err := t.follow(ctx)
	defer unfollow()
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not follow what scheduled events depend on")
		return
	}
	for range workers {
		running.Go(func() { t.queue.Work(ctx) })
	}
	<-ctx.Done()
}

func (e *Engine) newTerm(events cache.SharedIndexInformer, idle func()) (t *term, stopRecording func()) {
	t = &term{
		Engine: e, events: events, client: e.config.Maintenance.MaintenanceV1beta1().ScheduledEvents(),
		holds: serverholds.New(e.config.Maintenance), idle: idle,
	}
	t.queue = workloop.New(workloop.Config{
		Name: "events", Visit: t.visit, Kind: "scheduledEvent", Problem: "Could not do what a scheduled event asks for",
		Failures: failedVisits, Panics: panics, Clock: e.config.Clock,
	})
	t.recorder, stopRecording = workloop.NewRecorder(e.config.Kube, eventComponent, e.config.Recorder)
	return t, stopRecording
}

// confirmAll asks this server itself for all events: a former leader may have gone on with some, and the cache may not
// show that yet. It says no when ctx is done.
func (t *term) confirmAll(ctx context.Context) bool {
	for ctx.Err() == nil {
		list, err := t.client.List(ctx, metav1.ListOptions{})
		if err == nil {
			for i := range list.Items {
				t.latest.Show(&list.Items[i])
			}
			return true
		}
		klog.FromContext(ctx).Error(err, "Could not list scheduled events", "askingAgainAfter", askAgain)
		timer := t.config.Clock.NewTimer(askAgain)
		select {
		case <-timer.C():
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return false
}

// event returns an event as it is known best; nil if there is none. It is not to be changed.
func (t *term) event(name string) *v1beta1.ScheduledEvent {
	object, _, _ := t.events.GetStore().GetByKey(name)
	cached, _ := object.(*v1beta1.ScheduledEvent)
	return t.latest.Newest(name, cached)
}

// all are all events, as they are known best.
func (t *term) all() []*v1beta1.ScheduledEvent {
	var all []*v1beta1.ScheduledEvent
	for _, object := range t.events.GetStore().List() {
		if cached, is := object.(*v1beta1.ScheduledEvent); is {
			all = append(all, t.latest.Newest(cached.Name, cached))
		}
	}
	return all
}
