// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterwatch

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
	// CatchUpLook is how often a cache is compared with a list.
	CatchUpLook = 20 * time.Millisecond
	// CatchUpList is how long it is compared with the same list.
	CatchUpList = time.Second
	// CatchUpRequest bounds one list.
	CatchUpRequest = 10 * time.Second
	// CatchUpMost bounds all of it: this process may hold the lease, so no other one drains meanwhile.
	CatchUpMost = 30 * time.Second
	// MostAge is how old a cache may be while this process leads: more than the ten minutes after which a watch that works is
	// begun anew at most. lookAtAge is how often that is looked at.
	MostAge   = 15 * time.Minute
	lookAtAge = 10 * time.Second
)

// CatchUp waits until the caches of holds and nodes show at least what the API servers know when it is called.
// It fails if that takes too long, or ctx is done before, and while a cache is stale. Another process may have led until a moment ago. A hold that it has ended
// must not be seen as lasting, nor a node that it has given back as cordoned: pods would be evicted from a node in
// service, and no write that could end in a conflict comes before. Pods are listed anew anyway, and a budget
// that is stale only costs a refusal.
func (w *Watcher) CatchUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, CatchUpMost)
	defer cancel()
	holds := caughtUp(ctx, w.Caches.Holds.GetStore(), func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return w.config.Maintenance.MaintenanceV1beta1().NodeMaintenances().List(ctx, options)
	})
	if holds != nil {
		return fmt.Errorf("could not learn what NodeMaintenances there are now: %w", holds)
	}
	nodes := caughtUp(ctx, w.Caches.Nodes.GetStore(), func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return w.config.Kube.CoreV1().Nodes().List(ctx, options)
	})
	if nodes != nil {
		return fmt.Errorf("could not learn what nodes there are now: %w", nodes)
	}
	err := wait.PollUntilContextCancel(ctx, CatchUpList, true, func(context.Context) (bool, error) { return w.stale() == nil, nil })
	if err != nil {
		return cmp.Or(w.stale(), err)
	}
	return nil
}

// stale says which cache of those that leading depends on most is told nothing any more: its watch is broken, or hangs.
// What others show only costs requests that are refused.
func (w *Watcher) stale() error {
	for _, cache := range []struct {
		of       string
		informer *watched.Informer
	}{{"NodeMaintenances", w.Caches.Holds}, {"nodes", w.Caches.Nodes}} {
		if age := cache.informer.Age(); age > MostAge {
			return fmt.Errorf("the API server has not told anything of %s for %s", cache.of, age.Round(time.Second))
		}
	}
	return nil
}

// EndWhenStale calls end when a cache is stale: another process may know more. It returns then, or when ctx is done.
func (w *Watcher) EndWhenStale(ctx context.Context, end context.CancelCauseFunc) {
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
	err := wait.PollUntilContextCancel(ctx, CatchUpList, true, func(ctx context.Context) (bool, error) {
		known, err := ListVersions(ctx, list)
		if err != nil {
			if ctx.Err() == nil { // else the time is up, which is no failure of this list
				failure = err
				klog.FromContext(ctx).Error(err, "Could not compare a cache with the API server")
			}
			return false, ctx.Err()
		}
		shown := wait.PollUntilContextTimeout(ctx, CatchUpLook, CatchUpList, true, func(context.Context) (bool, error) {
			return known.ShownBy(store), nil
		}) == nil
		if !shown {
			failure = ErrBehind
			klog.FromContext(ctx).Info("A cache is behind the API server", "version", known.At, "cached", store.LastStoreSyncResourceVersion())
		}
		return shown, nil
	})
	if err != nil {
		return cmp.Or(failure, err)
	}
	return nil
}

// ErrBehind is the reason why a process cannot catch up.
var ErrBehind = errors.New("the cache is behind the API server")

// Versions are the versions of all objects of a kind, by name, and of the list that has shown them.
type Versions struct {
	At      string
	Objects map[string]string
}

// ListVersions asks the API server, and not its cache, for all objects of a kind.
func ListVersions(ctx context.Context, list pager.ListPageFunc) (Versions, error) {
	ctx, cancel := context.WithTimeout(ctx, CatchUpRequest)
	defer cancel()
	known := Versions{Objects: map[string]string{}}
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		page, err := list(ctx, options)
		if accessor, isList := page.(metav1.ListInterface); err == nil && isList && known.At == "" {
			known.At = accessor.GetResourceVersion()
		}
		return page, err
	})
	pages.PageSize, pages.PageBufferSize = listPage, 0
	err := pages.EachListItem(ctx, metav1.ListOptions{}, func(obj runtime.Object) error {
		object, err := meta.Accessor(obj)
		if err == nil {
			known.Objects[object.GetName()] = object.GetResourceVersion()
		}
		return err
	})
	if err != nil {
		return Versions{}, fmt.Errorf("could not list what there is: %w", err)
	}
	return known, nil
}

// ShownBy says whether the store shows at least these versions: something newer than the list, or exactly the
// same. A kind that does not change brings no newer version. Else the cache is behind: whatever it had that is newer
// than the list would have made the store newer.
func (v Versions) ShownBy(store cache.Store) bool {
	if order, err := resourceversion.CompareResourceVersion(store.LastStoreSyncResourceVersion(), v.At); err == nil && order >= 0 {
		return true
	}
	cached := store.List()
	for _, obj := range cached {
		object, err := meta.Accessor(obj)
		if err != nil || v.Objects[object.GetName()] != object.GetResourceVersion() {
			return false
		}
	}
	return len(cached) == len(v.Objects)
}
