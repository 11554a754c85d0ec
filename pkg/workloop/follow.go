// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package workloop

import (
	"context"

	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// AwaitWork waits until one of the informers has an object. It says no when ctx is done.
func AwaitWork(ctx context.Context, informers ...cache.SharedIndexInformer) bool {
	more := NewBell()
	nudge := cache.ResourceEventHandlerFuncs{AddFunc: func(any) { more.Ring() }}
	for _, informer := range informers {
		registration, err := informer.AddEventHandler(nudge)
		if err != nil {
			return false
		}
		defer func() { _ = informer.RemoveEventHandler(registration) }()
	}
	for IsIdle(informers...) {
		select {
		case <-more:
		case <-ctx.Done():
			return false
		}
	}
	return ctx.Err() == nil
}

// IsIdle says whether the informers have no object.
func IsIdle(informers ...cache.SharedIndexInformer) bool {
	for _, informer := range informers {
		if len(informer.GetStore().ListKeys()) > 0 {
			return false
		}
	}
	return true
}

// Follow calls changed for each change of an object, and once for each that exists, until stop has returned. Before is nil
// for a new one, after for one that is gone. hasSynced says whether all that exist were told. It fails when the informer
// has ended.
func Follow(
	informer cache.SharedIndexInformer, changed func(before, after any),
) (hasSynced cache.InformerSynced, stop func(), err error) {
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { changed(nil, obj) },
		UpdateFunc: changed,
		DeleteFunc: func(obj any) {
			if unknown, is := obj.(cache.DeletedFinalStateUnknown); is {
				obj = unknown.Obj
			}
			changed(obj, nil)
		},
	})
	if err != nil {
		return nil, nil, err
	}
	return registration.HasSynced, func() {
		if err := cache.ShutDownEventHandler(informer, registration); err != nil {
			klog.Background().Error(err, "Could not remove a handler")
		}
	}, nil
}
