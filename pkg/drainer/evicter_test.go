// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubectl/pkg/util/podutils"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// All that stands in for the engine's own Evicter is in this file.

// typedEvicter evicts through the typed client, which fake clientsets can answer.
type typedEvicter struct{ client kubernetes.Interface }

func (e typedEvicter) Evict(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	return e.client.PolicyV1().Evictions(pod.Namespace).Evict(ctx, newEviction(pod, gracePeriodSeconds))
}

func (e typedEvicter) Unprotected(ctx context.Context, pod *corev1.Pod) error {
	return apiEvicter(e).Unprotected(ctx, pod)
}

func (e typedEvicter) Delete(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	return e.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, *deleteOptions(pod, gracePeriodSeconds))
}

// fakeEvicter answers when it is told to.
type fakeEvicter struct {
	mu       sync.Mutex
	posted   []string
	inFlight map[string]chan error
	most     int
	// ready are the pods that have become ready, and doubted those that were asked about.
	ready   map[string]bool
	doubted []string
}

func newFakeEvicter() *fakeEvicter { return &fakeEvicter{inFlight: map[string]chan error{}} }

func (f *fakeEvicter) Evict(ctx context.Context, pod *corev1.Pod, _ *int64) error {
	f.mu.Lock()
	answer := make(chan error, 1)
	f.posted = append(f.posted, pod.Name)
	f.inFlight[pod.Name] = answer
	f.most = max(f.most, len(f.inFlight))
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.inFlight, pod.Name)
	}()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *fakeEvicter) Unprotected(_ context.Context, pod *corev1.Pod) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.doubted = append(f.doubted, pod.Name)
	if f.ready[pod.Name] {
		return ErrProtected
	}
	return nil
}

func (f *fakeEvicter) Delete(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	return f.Evict(ctx, pod, gracePeriodSeconds)
}

func (f *fakeEvicter) answer(pod string, err error) {
	f.mu.Lock()
	answer := f.inFlight[pod]
	f.mu.Unlock()
	answer <- err
	synctest.Wait()
}

func (f *fakeEvicter) posts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.posted)
}

func (f *fakeEvicter) hanging() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.inFlight)
}

// modelEvicter makes the evictions and deletions of the drainer of a world, with all that may befall
// them. It is made anew for each drainer.
type modelEvicter struct {
	world *world
	// killed is closed when the drainer hears of no answer any more.
	killed chan struct{}
}

// errKilled is what a process gets that hears of no answer any more. It matters to nobody.
var errKilled = errors.New("killed")

func (e modelEvicter) Evict(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	eviction, posted := newEviction(pod, gracePeriodSeconds), time.Now()
	e.world.locked(func() { e.world.check.evictionPosted(eviction) })
	return e.make(ctx, pod.UID, func(as serving) error {
		as.posted = posted
		return e.world.evictPod(eviction, as)
	})
}

func (e modelEvicter) Unprotected(_ context.Context, pod *corev1.Pod) error {
	live := drainertest.Get[*corev1.Pod](e.world.server, pod.Namespace, pod.Name)
	switch {
	case live == nil || live.UID != pod.UID:
		return apierrors.NewNotFound(corev1.Resource("pods"), pod.Name)
	case podutils.IsPodReady(live):
		return ErrProtected
	default:
		return nil
	}
}

func (e modelEvicter) Delete(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	options := deleteOptions(pod, gracePeriodSeconds)
	e.world.locked(func() { e.world.check.deletionPosted(drainertest.KeyOf(pod), options) })
	return e.make(ctx, pod.UID, func(serving) error {
		live := e.world.livePod(drainertest.KeyOf(pod))
		if live == nil {
			return apierrors.NewNotFound(corev1.Resource("pods"), pod.Name)
		}
		return e.world.server.DeletePod(live, options)
	})
}

// make takes the request to the API server and the answer back.
func (e modelEvicter) make(ctx context.Context, uid types.UID, serve func(serving) error) error {
	w := e.world
	var fault evictionFault
	w.locked(func() { fault = w.evictionFails(uid) })
	if err := e.travel(ctx, fault.before); err != nil {
		if fault.carriedOut {
			w.locked(func() { w.late = append(w.late, func() { _ = serve(serving{}) }) })
		}
		return err
	}
	answer := fault.answer
	w.locked(func() {
		if answer == nil || fault.carriedOut {
			if err := serve(serving{ours: true, half: fault.half}); answer == nil {
				answer = err
			}
		}
		w.check.answered(uid, answer)
	})
	if lost := e.travel(ctx, fault.after); lost != nil {
		return lost
	}
	if answer == nil {
		w.locked(func() { w.pods[uid].accepted = time.Now() })
	}
	return answer
}

// travel takes time, unless the process is killed or gives up.
func (e modelEvicter) travel(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-e.killed:
		return errKilled
	case <-ctx.Done():
		return ctx.Err()
	}
}
