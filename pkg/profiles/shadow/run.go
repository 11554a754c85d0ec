// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package shadow

import (
	"context"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// leaseChanged takes notice of the Lease; nil: there is none.
func (s *Shadow) leaseChanged(lease *coordinationv1.Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lease == nil || lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "" || lease.Spec.RenewTime == nil {
		s.holder = ""
		return
	}
	s.lasts = defaultLease
	if seconds := lease.Spec.LeaseDurationSeconds; seconds != nil {
		s.lasts = time.Duration(*seconds) * time.Second
	}
	renewed := lease.Spec.RenewTime.String()
	if renewed != s.renewed || *lease.Spec.HolderIdentity != s.holder {
		s.seen = s.config.Clock.Now()
	}
	s.renewed, s.holder = renewed, *lease.Spec.HolderIdentity
}

// Run watches the Lease until ctx is done. It is to be called once.
func (s *Shadow) Run(ctx context.Context) {
	queue := workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[struct{}]{Clock: s.config.Clock})
	registration, err := s.leases.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { s.leaseEvent(obj); queue.Add(struct{}{}) },
		UpdateFunc: func(_, obj any) { s.leaseEvent(obj); queue.Add(struct{}{}) },
		DeleteFunc: func(any) { s.leaseChanged(nil); queue.Add(struct{}{}) },
	})
	if err != nil {
		return // only after it has run
	}
	s.mu.Lock()
	s.heard = registration.HasSynced
	s.mu.Unlock()
	var running sync.WaitGroup
	defer running.Wait()
	defer queue.ShutDown()
	s.Follow(func() { queue.Add(struct{}{}) }) // what is written needs a look when it counts no more
	running.Go(func() { s.leases.RunWithContext(ctx) })
	running.Go(func() { s.work(queue) })
	if cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
		queue.Add(struct{}{})
	}
	<-ctx.Done()
}

func (s *Shadow) leaseEvent(obj any) {
	if lease, is := obj.(*coordinationv1.Lease); is {
		s.leaseChanged(lease)
	}
}

// work looks again and again until the queue is shut down.
func (s *Shadow) work(queue workqueue.TypedDelayingInterface[struct{}]) {
	for {
		item, down := queue.Get()
		if down {
			return
		}
		if again := s.look(); again > 0 {
			queue.AddAfter(item, again)
		}
		queue.Done(item)
	}
}
