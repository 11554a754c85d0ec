// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubectl/pkg/util/podutils"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
)

// All that stands in for the engine's own eviction.Client is in this file.

// typedEvicter evicts through the typed client, which fake clientsets can answer.
type typedEvicter struct{ client kubernetes.Interface }

func (e typedEvicter) Evict(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	return e.client.PolicyV1().Evictions(pod.Namespace).Evict(ctx, eviction.NewEviction(pod, gracePeriodSeconds))
}

func (e typedEvicter) Unprotected(ctx context.Context, pod *corev1.Pod) error {
	return eviction.NewClient(e.client).Unprotected(ctx, pod)
}

func (e typedEvicter) Delete(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	return e.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, *eviction.NewDeleteOptions(pod, gracePeriodSeconds))
}

func (e typedEvicter) Budget(ctx context.Context, name types.NamespacedName) (*policyv1.PodDisruptionBudget, error) {
	return eviction.NewClient(e.client).Budget(ctx, name)
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
	request, posted := eviction.NewEviction(pod, gracePeriodSeconds), time.Now()
	e.world.locked(func() { e.world.check.evictionPosted(request) })
	return e.make(ctx, pod.UID, func(as serving) error {
		as.posted = posted
		return e.world.evictPod(request, as)
	})
}

func (e modelEvicter) Unprotected(_ context.Context, pod *corev1.Pod) error {
	live := drainertest.Get[*corev1.Pod](e.world.server, pod.Namespace, pod.Name)
	switch {
	case live == nil || live.UID != pod.UID:
		return apierrors.NewNotFound(corev1.Resource("pods"), pod.Name)
	case podutils.IsPodReady(live):
		return eviction.ErrProtected
	default:
		return nil
	}
}

func (e modelEvicter) Budget(_ context.Context, name types.NamespacedName) (*policyv1.PodDisruptionBudget, error) {
	live := drainertest.Get[*policyv1.PodDisruptionBudget](e.world.server, name.Namespace, name.Name)
	if live == nil {
		return nil, apierrors.NewNotFound(policyv1.Resource("poddisruptionbudgets"), name.Name)
	}
	return live.DeepCopy(), nil
}

func (e modelEvicter) Delete(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	options := eviction.NewDeleteOptions(pod, gracePeriodSeconds)
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
