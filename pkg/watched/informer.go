// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package watched makes informers that say how old what they know may be, and that tell of stored objects which cannot be
// read. So neither a watch that stays broken nor a damaged object stops work in silence.
package watched

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

// Config is what an Informer is made from.
type Config struct {
	// By names in metrics who watches, such as drainer. Required.
	By string
	// Resource is what is watched, as its name in URLs. Required.
	Resource string
	// Clients has the client of the resource. It says whether the API server can begin a watch with a list. Required.
	Clients any
	// Indexers are the indexes of the cache. Optional.
	Indexers cache.Indexers
	// Kind is the kind of stored objects of this server. Of those that cannot be read it is told. Empty: they are objects of
	// the cluster, or another Informer tells.
	Kind string
	// Clock tells the time. Default: the real one.
	Clock clock.PassiveClock
}

// Client lists and watches the objects of a resource. Each typed client does.
type Client[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// Informer is an informer whose age is known. Use New.
type Informer struct {
	cache.SharedIndexInformer
	config Config
	// told is the time when the API server has told something last, in nanoseconds since 1970.
	told atomic.Int64
}

// New returns an informer for the objects of a client, which are like the example. It knows nothing until it runs.
func New[L runtime.Object](config Config, client Client[L], example runtime.Object) *Informer {
	registerMetrics()
	if config.Clock == nil {
		config.Clock = clock.RealClock{}
	}
	if config.Indexers == nil {
		config.Indexers = cache.Indexers{}
	}
	i := &Informer{config: config}
	listWatch := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			list, err := client.List(ctx, options)
			if err == nil {
				i.toldNow()
			}
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			events, err := client.Watch(ctx, options)
			if err != nil {
				return nil, err
			}
			i.toldNow()
			return observe(events, i.toldNow), nil
		},
	}
	i.SharedIndexInformer = cache.NewSharedIndexInformerWithOptions(
		cache.ToListWatcherWithWatchListSemantics(listWatch, config.Clients), example, cache.SharedIndexInformerOptions{Indexers: config.Indexers})
	return i
}

// RunWithContext keeps the cache up to date until ctx is done.
func (i *Informer) RunWithContext(ctx context.Context) {
	i.toldNow() // its age counts from now on
	defer lastTold.DeleteLabelValues(i.config.By, i.config.Resource)
	if i.config.Kind != "" {
		defer unreadable.follow(i.SharedIndexInformer, i.config.Resource, i.config.Kind)()
	}
	i.SharedIndexInformer.RunWithContext(ctx)
}

// Age is how long ago the API server has told something last: a list, that a watch begins, a change, or, from time to time,
// that there is nothing new. What the cache shows may be older by that. It counts from the start. A watch that works is begun
// anew after ten minutes at most, so it is no older then, though its server may have had nothing to tell all the time.
func (i *Informer) Age() time.Duration {
	told := i.told.Load()
	if told == 0 {
		return 0 // it does not run yet
	}
	return max(i.config.Clock.Since(time.Unix(0, told)), 0)
}

func (i *Informer) toldNow() {
	now := i.config.Clock.Now()
	i.told.Store(now.UnixNano())
	lastTold.WithLabelValues(i.config.By, i.config.Resource).Set(float64(now.UnixNano()) / float64(time.Second))
}

// observed is a watch of which told is called with each event but an error.
type observed struct {
	watch.Interface
	events chan watch.Event
	stop   func()
}

func observe(events watch.Interface, told func()) watch.Interface {
	stopped := make(chan struct{})
	o := &observed{Interface: events, events: make(chan watch.Event), stop: sync.OnceFunc(func() { close(stopped) })}
	go func() {
		defer close(o.events)
		for event := range events.ResultChan() {
			if event.Type != watch.Error {
				told()
			}
			select {
			case o.events <- event:
			case <-stopped:
				return
			}
		}
	}()
	return o
}

// ResultChan implements watch.Interface.
func (o *observed) ResultChan() <-chan watch.Event { return o.events }

// Stop implements watch.Interface.
func (o *observed) Stop() {
	o.stop()
	o.Interface.Stop()
}
