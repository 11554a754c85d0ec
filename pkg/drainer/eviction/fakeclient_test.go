// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"context"
	"slices"
	"sync"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// fakeClient answers when it is told to.
type fakeClient struct {
	mu       sync.Mutex
	posted   []string
	inFlight map[string]chan error
	most     int
	// ready are the pods that have become ready, and doubted those that were asked about.
	ready   map[string]bool
	doubted []string
	// live is the budget as the API server has it; nil when there is none.
	live *policyv1.PodDisruptionBudget
}

func newFakeClient() *fakeClient { return &fakeClient{inFlight: map[string]chan error{}} }

func (f *fakeClient) Evict(ctx context.Context, pod *corev1.Pod, _ *int64) error {
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

func (f *fakeClient) Unprotected(_ context.Context, pod *corev1.Pod) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.doubted = append(f.doubted, pod.Name)
	if f.ready[pod.Name] {
		return ErrProtected
	}
	return nil
}

func (f *fakeClient) Delete(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	return f.Evict(ctx, pod, gracePeriodSeconds)
}

func (f *fakeClient) answer(pod string, err error) {
	f.mu.Lock()
	answer := f.inFlight[pod]
	f.mu.Unlock()
	answer <- err
	synctest.Wait()
}

func (f *fakeClient) posts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.posted)
}

func (f *fakeClient) hanging() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.inFlight)
}

func (f *fakeClient) Budget(_ context.Context, name types.NamespacedName) (*policyv1.PodDisruptionBudget, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.live == nil {
		return nil, apierrors.NewNotFound(policyv1.Resource("poddisruptionbudgets"), name.Name)
	}
	return f.live, nil
}
