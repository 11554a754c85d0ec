// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"context"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	coordinationinformers "k8s.io/client-go/informers/coordination/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
)

// margin is how long after the end of a lease the library is made to ask for it, so that the lease has really
// ended by then.
const margin = 50 * time.Millisecond

// watch has the library ask for the lease at once when somebody else changes it, and when it ends, until ctx is
// done. So a released lease is taken in milliseconds, and a renewal is seen when it is made: the library counts
// the lease from then. A leader learns at once that somebody has edited or deleted its lease. Without the
// permission to watch, the library asks every RetryPeriod to 2.2 times that.
func (e *Elector) watch(ctx context.Context) {
	informer := coordinationinformers.NewFilteredLeaseInformer(e.config.Watcher, e.config.Namespace, 0, cache.Indexers{},
		func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, e.config.Name).String()
		})
	changed := func(obj any) {
		e.lock.follow(ctx, holderOf(obj))
		e.lock.retry()
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: changed, UpdateFunc: func(_, lease any) { changed(lease) }, DeleteFunc: func(any) { changed(nil) },
	})
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not watch the lease", "lease", e.lock.Describe())
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { informer.RunWithContext(ctx) })
	e.retryAtEnd(ctx)
}

// holderOf is who holds the lease; empty if nobody does, or there is none.
func holderOf(obj any) string {
	if lease, is := obj.(*coordinationv1.Lease); is {
		return ptr.Deref(lease.Spec.HolderIdentity, "")
	}
	return ""
}

// retryAtEnd has the library ask for the lease when it ends.
func (e *Elector) retryAtEnd(ctx context.Context) {
	timer := e.config.Clock.NewTimer(e.config.LeaseDuration)
	defer timer.Stop()
	for {
		select {
		case <-e.lock.observed:
			timer.Reset(e.config.LeaseDuration + margin)
		case <-timer.C():
			e.lock.retry()
		case <-ctx.Done():
			return
		}
	}
}
