// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package delivery sends the notifications that NodeProfiles list. It belongs to the leader.
//
//	what is due               pick.go      pure, from the status of a NodeProfile
//	one at a time             lanes.go     for each endpoint and channel, and a few for each endpoint
//	record, send, record      deliver.go   Sending is stored before anything is sent
//	what came of it           outcome.go   pure
//	threads of Slack          threads.go   in the status of the endpoint
//	what admins see           metrics.go   by endpoint
//
// Each write has the resourceVersion that was read, and is made anew from what is stored if somebody else was first. So
// the engine, which writes the same status, loses nothing, and neither does another leader.
//
// A notification that is Sending has a nextTime. Until then its sender may still be at work, here or in a process that
// has just lost its lead. After that nobody knows whether it was sent: it is sent again, or becomes Unknown, as the
// notifier wants it.
package delivery

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	typedv1beta1 "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
	informers "github.com/medik8s/maintenance-apiserver/pkg/generated/informers/externalversions/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// DefaultAtOnce is how many notifications are sent at the same time. A worker that waits for an answer costs little, and
// there must be more of them than those that wait for endpoints that do not answer.
const DefaultAtOnce = 32

// Config is what a Worker needs.
type Config struct {
	// Client writes NodeProfiles. It is one for our own server. Required.
	Client typedv1beta1.NodeProfileInterface
	// NodeProfiles are those of the cluster. Required.
	NodeProfiles informers.NodeProfileInformer
	// Senders send. Required.
	Senders outbox.Kinds
	// AtOnce is how many notifications are sent at the same time. Default: DefaultAtOnce.
	AtOnce int
	// Clock is what times go by. Default: the real one.
	Clock clock.WithTicker
}

// Worker sends notifications while this process leads. Use New.
type Worker struct {
	config Config
}

// New returns a Worker, which does nothing before Run.
func New(config Config) *Worker {
	if config.AtOnce == 0 {
		config.AtOnce = DefaultAtOnce
	}
	if config.Clock == nil {
		config.Clock = clock.RealClock{}
	}
	registerMetrics()
	return &Worker{config: config}
}

// term is the work of one term of leading.
type term struct {
	Config
	queue workqueue.TypedRateLimitingInterface[key]
	lanes *lanes
}

// Run sends notifications until ctx is done, and returns when those under way were recorded: after graceTime at most, and
// the time of a write.
func (w *Worker) Run(ctx context.Context) {
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithName("outbox"))
	t := w.newTerm()
	defer t.queue.ShutDown()
	informer := w.config.NodeProfiles.Informer()
	registered, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: t.saw, UpdateFunc: func(_, now any) { t.saw(now) },
	})
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not follow NodeProfiles: no notifications are sent")
		return
	}
	defer func() { _ = informer.RemoveEventHandler(registered) }() // it fails if it is not there
	var working sync.WaitGroup
	for range w.config.AtOnce {
		working.Go(func() { t.work(ctx) })
	}
	<-ctx.Done()
	t.queue.ShutDown()
	working.Wait()
}

func (w *Worker) newTerm() *term {
	queue := workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[key](100*time.Millisecond, time.Minute),
		workqueue.TypedRateLimitingQueueConfig[key]{Name: "outbox", Clock: w.config.Clock},
	)
	return &term{Config: w.config, queue: queue, lanes: newLanes(queue.Add)}
}

// saw has a NodeProfile be looked at if it has something to send.
func (t *term) saw(object any) {
	nodeProfile, is := object.(*v1beta1.NodeProfile)
	if !is {
		return
	}
	for _, one := range keysOf(nodeProfile) {
		t.queue.Add(one)
	}
}

func (t *term) work(ctx context.Context) {
	for {
		next, shutdown := t.queue.Get()
		if shutdown {
			return
		}
		if ctx.Err() == nil {
			t.look(ctx, next)
		}
		t.queue.Done(next)
	}
}

// look sends what a NodeProfile has to send to an endpoint now, and comes back when something is due later.
func (t *term) look(ctx context.Context, at key) {
	cached, err := t.NodeProfiles.Lister().Get(at.nodeProfile)
	if err != nil {
		return // it is gone
	}
	again, err := t.deliverAll(ctx, cached, at.endpoint)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not record what became of a notification", "nodeProfile", at.nodeProfile)
		t.queue.AddRateLimited(at)
		return
	}
	t.queue.Forget(at)
	if !again.IsZero() {
		t.queue.AddAfter(at, again.Sub(t.Clock.Now()))
	}
}
