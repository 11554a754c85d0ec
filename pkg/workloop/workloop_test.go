// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package workloop

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	testcache "k8s.io/client-go/tools/cache/testing"
	"k8s.io/utils/clock"
)

type count int

func (c *count) Inc() { *c++ }

// An object that fails, or panics, is visited again later, and holds up no other.
func TestVisits(t *testing.T) {
	tests := map[string]struct {
		first                    func() (time.Time, error)
		wantVisits               int
		wantFailures, wantPanics count
	}{
		"done":              {first: func() (time.Time, error) { return time.Time{}, nil }, wantVisits: 1},
		"again in a minute": {first: func() (time.Time, error) { return time.Now().Add(time.Minute), nil }, wantVisits: 2},
		"again in a day":    {first: func() (time.Time, error) { return time.Now().AddDate(0, 0, 1), nil }, wantVisits: 2},
		"again long ago":    {first: func() (time.Time, error) { return time.Now().AddDate(-1, 0, 0), nil }, wantVisits: 2},
		"it fails":          {first: func() (time.Time, error) { return time.Time{}, errors.New("no route") }, wantVisits: 2, wantFailures: 1},
		"it panics":         {first: func() (time.Time, error) { panic("a defect") }, wantVisits: 2, wantFailures: 1, wantPanics: 1},
		"a conflict": {first: func() (time.Time, error) {
			return time.Time{}, apierrors.NewConflict(schema.GroupResource{}, "a", nil)
		}, wantVisits: 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				visits, others := 0, 0
				var failures, panics count
				queue := New(Config{
					Name: "", Kind: "object", Problem: "Could not visit", Failures: &failures, Panics: &panics, Clock: clock.RealClock{},
					Visit: func(_ context.Context, name string) (time.Time, error) {
						if name == "b" {
							others++
							return time.Time{}, nil
						}
						if visits++; visits == 1 {
							return test.first()
						}
						return time.Time{}, nil
					},
				})
				done := make(chan struct{})
				go func() {
					defer close(done)
					queue.Work(t.Context())
				}()
				queue.Add("a")
				queue.Add("b")
				time.Sleep(LookAgain + time.Second)
				queue.ShutDown()
				<-done
				if visits != test.wantVisits || others != 1 || failures != test.wantFailures || panics != test.wantPanics {
					t.Errorf("%d visits, %d of the other object, %d failures, %d panics; want %d, 1, %d, %d",
						visits, others, failures, panics, test.wantVisits, test.wantFailures, test.wantPanics)
				}
			})
		})
	}
}

// Who stops to follow need not fear that a change is told later.
func TestFollowStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := testcache.NewFakeControllerSource()
		defer source.Shutdown()
		source.Add(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
		informer := cache.NewSharedIndexInformer(source, &corev1.Node{}, 0, cache.Indexers{})
		ctx, end := context.WithCancel(t.Context())
		var running sync.WaitGroup
		defer running.Wait()
		defer end()
		running.Go(func() { informer.RunWithContext(ctx) })
		told := make(chan struct{})
		_, stop, err := Follow(informer, func(any, any) { <-told })
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		var stopped atomic.Bool
		running.Go(func() {
			stop()
			stopped.Store(true)
		})
		synctest.Wait()
		if stopped.Load() {
			t.Error("it has stopped while a change is told, want that it waits")
		}
		close(told)
		synctest.Wait()
		if !stopped.Load() {
			t.Error("it has not stopped after the change was told")
		}
	})
}
