// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/watched"
)

const (
	// catchUpLook is how often a cache is compared with a list.
	catchUpLook = 20 * time.Millisecond
	// catchUpList is how long it is compared with the same list.
	catchUpList = time.Second
	// catchUpRequest bounds one list.
	catchUpRequest = 10 * time.Second
	// catchUpMost bounds all of it: this process may hold the lease, so no other one drains meanwhile.
	catchUpMost = 30 * time.Second
	// mostAge is how old a cache may be while this process leads: more than the ten minutes after which a watch that works is
	// begun anew at most. lookAtAge is how often that is looked at.
	mostAge   = 15 * time.Minute
	lookAtAge = 10 * time.Second
)

// catchUp waits until the caches of holds and nodes show at least what the API servers know when it is called.
// It fails if that takes too long, or ctx is done before, and while a cache is stale. Another process may have led until a moment ago. A hold that it has ended
// must not be seen as lasting, nor a node that it has given back as cordoned: pods would be evicted from a node in
// service, and no write that could end in a conflict comes before. Pods are listed anew anyway, and a budget
// that is stale only costs a refusal.
func (w *watcher) catchUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, catchUpMost)
	defer cancel()
	holds := caughtUp(ctx, w.caches.holds.GetStore(), func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return w.config.Maintenance.MaintenanceV1beta1().NodeMaintenances().List(ctx, options)
	})
	if holds != nil {
		return fmt.Errorf("could not learn what NodeMaintenances there are now: %w", holds)
	}
	nodes := caughtUp(ctx, w.caches.nodes.GetStore(), func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return w.config.Kube.CoreV1().Nodes().List(ctx, options)
	})
	if nodes != nil {
		return fmt.Errorf("could not learn what nodes there are now: %w", nodes)
	}
	err := wait.PollUntilContextCancel(ctx, catchUpList, true, func(context.Context) (bool, error) { return w.stale() == nil, nil })
	if err != nil {
		return cmp.Or(w.stale(), err)
	}
	return nil
}

// stale says which cache of those that leading depends on most is told nothing any more: its watch is broken, or hangs.
// What others show only costs requests that are refused.
func (w *watcher) stale() error {
	for _, cache := range []struct {
		of       string
		informer *watched.Informer
	}{{"NodeMaintenances", w.caches.holds}, {"nodes", w.caches.nodes}} {
		if age := cache.informer.Age(); age > mostAge {
			return fmt.Errorf("the API server has not told anything of %s for %s", cache.of, age.Round(time.Second))
		}
	}
	return nil
}

// endWhenStale calls end when a cache is stale: another process may know more. It returns then, or when ctx is done.
func (w *watcher) endWhenStale(ctx context.Context, end context.CancelCauseFunc) {
	ticker := w.config.Clock.NewTicker(lookAtAge)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
			if err := w.stale(); err != nil {
				end(err)
				return
			}
		}
	}
}

// caughtUp waits until the store shows at least what a list shows that begins now.
func caughtUp(ctx context.Context, store cache.Store, list pager.ListPageFunc) error {
	var failure error
	err := wait.PollUntilContextCancel(ctx, catchUpList, true, func(ctx context.Context) (bool, error) {
		known, err := listVersions(ctx, list)
		if err != nil {
			if ctx.Err() == nil { // else the time is up, which is no failure of this list
				failure = err
				klog.FromContext(ctx).Error(err, "Could not compare a cache with the API server")
			}
			return false, ctx.Err()
		}
		shown := wait.PollUntilContextTimeout(ctx, catchUpLook, catchUpList, true, func(context.Context) (bool, error) {
			return known.shownBy(store), nil
		}) == nil
		if !shown {
			failure = errBehind
			klog.FromContext(ctx).Info("A cache is behind the API server", "version", known.at, "cached", store.LastStoreSyncResourceVersion())
		}
		return shown, nil
	})
	if err != nil {
		return cmp.Or(failure, err)
	}
	return nil
}

// errBehind is why a process cannot catch up.
var errBehind = errors.New("the cache is behind the API server")

// versions are the versions of all objects of a kind, by name, and of the list that has shown them.
type versions struct {
	at      string
	objects map[string]string
}

// listVersions asks the API server, and not its cache, for all objects of a kind.
func listVersions(ctx context.Context, list pager.ListPageFunc) (versions, error) {
	ctx, cancel := context.WithTimeout(ctx, catchUpRequest)
	defer cancel()
	known := versions{objects: map[string]string{}}
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		page, err := list(ctx, options)
		if accessor, isList := page.(metav1.ListInterface); err == nil && isList && known.at == "" {
			known.at = accessor.GetResourceVersion()
		}
		return page, err
	})
	pages.PageSize, pages.PageBufferSize = listPage, 0
	err := pages.EachListItem(ctx, metav1.ListOptions{}, func(obj runtime.Object) error {
		object, err := meta.Accessor(obj)
		if err == nil {
			known.objects[object.GetName()] = object.GetResourceVersion()
		}
		return err
	})
	if err != nil {
		return versions{}, fmt.Errorf("could not list what there is: %w", err)
	}
	return known, nil
}

// shownBy says whether the store shows at least these versions: something newer than the list, or exactly the
// same. A kind that does not change brings no newer version. Else the cache is behind: whatever it had that is newer
// than the list would have made the store newer.
func (v versions) shownBy(store cache.Store) bool {
	if order, err := resourceversion.CompareResourceVersion(store.LastStoreSyncResourceVersion(), v.at); err == nil && order >= 0 {
		return true
	}
	cached := store.List()
	for _, obj := range cached {
		object, err := meta.Accessor(obj)
		if err != nil || v.objects[object.GetName()] != object.GetResourceVersion() {
			return false
		}
	}
	return len(cached) == len(v.objects)
}
