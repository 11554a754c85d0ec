// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"context"
	"errors"
	"sync"
	"time"

	corev1informers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

const (
	// workers is how many nodes are written at the same time.
	workers    = 4
	leastRetry = 50 * time.Millisecond
	mostRetry  = time.Minute
	// component is what events call the controller.
	component = "maintenance"
)

// Config is what a Mirror is made from.
type Config struct {
	// Kube reads and patches nodes, and writes events. Required.
	Kube kubernetes.Interface
	// Profiles and NodeProfiles follow those of this server, and run all the time. NodeProfiles has the index
	// v1beta1.FieldNodeName. Required.
	Profiles, NodeProfiles cache.SharedIndexInformer
	// Adopted says whether all that the controller has left on a node was adopted. Until then, its annotation stays.
	// Required.
	Adopted func(node string) bool
	// Shadow is whether the controller runs. Then nothing is written. Required.
	Shadow Shadow
	// Label is the label of nodes that has the aliases of their profiles. Default: v1beta1.DefaultProfileLabel.
	Label string
	// Recorder writes the events. Default: one that writes them through Kube while Lead runs.
	Recorder record.EventRecorder
	// Clock tells the time. Default: the real one.
	Clock clock.WithTicker
}

// Shadow is whether the controller runs. A shadow.Shadow is one.
type Shadow interface {
	// Why says why profiles must not act on a node; empty: they may.
	Why(node string) string
	// Written takes notice that a program has written on a node, at that time, what only the controller writes.
	Written(node, manager string, at time.Time)
}

// Mirror writes what the controller has. Use New.
type Mirror struct {
	config Config

	mu sync.Mutex
	// term is the present term; nil while this process does not lead.
	term *term
}

// New returns a Mirror that writes nothing until Lead. It fails when the configuration lacks something.
func New(config Config) (*Mirror, error) {
	if config.Kube == nil || config.Profiles == nil || config.NodeProfiles == nil || config.Adopted == nil || config.Shadow == nil {
		return nil, errors.New("could not configure the mirrors: they need a client, profiles and a shadow")
	}
	if config.Label == "" {
		config.Label = v1beta1.DefaultProfileLabel
	}
	if config.Clock == nil {
		config.Clock = clock.RealClock{}
	}
	registerMetrics()
	return &Mirror{config: config}, nil
}

// Wake has all nodes looked at: whether the controller runs, or what was adopted, has changed. It never blocks.
func (m *Mirror) Wake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.term != nil {
		m.term.wakeAll()
	}
}

// term is the work of one term of leading.
type term struct {
	Config
	nodes cache.SharedIndexInformer
	queue workqueue.TypedRateLimitingInterface[string]
	// tasks counts what is recorded beside the queue.
	tasks sync.WaitGroup
}

// Lead writes until ctx is done, and returns when everything it started has ended. It may be called again.
func (m *Mirror) Lead(ctx context.Context) {
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithName("mirror"))
	t, stopRecording := m.newTerm()
	defer stopRecording()
	defer t.tasks.Wait()
	m.set(t)
	defer m.set(nil)
	var running sync.WaitGroup
	defer running.Wait()
	defer t.queue.ShutDown()
	running.Go(func() { t.nodes.RunWithContext(ctx) })
	unfollow, known := t.follow(ctx)
	defer unfollow()
	if !known {
		return
	}
	t.wakeAll()
	for range workers {
		running.Go(func() { t.work(ctx) })
	}
	<-ctx.Done()
}

func (m *Mirror) set(t *term) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.term = t
}

func (m *Mirror) newTerm() (t *term, stopRecording func()) {
	t = &term{
		Config: m.config, nodes: corev1informers.NewNodeInformer(m.config.Kube, 0, cache.Indexers{}),
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](leastRetry, mostRetry),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "mirror", Clock: m.config.Clock}),
	}
	_ = t.nodes.SetTransform(t.trim) // it fails only after the informer has begun
	t.Recorder, stopRecording = workloop.NewRecorder(m.config.Kube, component, m.config.Recorder)
	return t, stopRecording
}

// work mirrors nodes from the queue until it is shut down.
func (t *term) work(ctx context.Context) {
	for {
		name, down := t.queue.Get()
		if down {
			return
		}
		if err := t.mirror(ctx, name); err != nil {
			if ctx.Err() == nil {
				klog.FromContext(ctx).V(2).Info("Could not mirror the state of a node, trying again", "node", name, "err", err)
			}
			t.queue.AddRateLimited(name)
		} else {
			t.queue.Forget(name)
		}
		t.queue.Done(name)
	}
}
