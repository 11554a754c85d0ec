// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
)

// quiet is how long nothing may have happened to a workload before its drain
// is measured: controllers go on for a moment after all is ready.
const quiet = 500 * time.Millisecond

// observer watches one workload while it is drained, in the same way whoever
// drains it. It takes events in the order in which they happened, which an
// informer, that sorts them by object, does not.
type observer struct {
	watches []watch.Interface
	running sync.WaitGroup
	stopped chan struct{}

	mu   sync.Mutex
	last time.Time
	errs []error
	pods map[types.UID]podState
	// onNode counts the pods that are bound to a node; emptied is since when
	// there is none, deleted when the first one there was asked to go.
	onNode           map[string]int
	emptied, deleted map[string]time.Time
	// healthy counts the pods of an app that are Ready and not on their way
	// out, desired is how many its budget asks for.
	healthy, desired map[string]int
	// broken counts how often an app fell below that.
	broken int
	// left counts the pods that were asked to go.
	left int
	// room is how many more pods an app's budget lets go; freed when it let go
	// one again.
	room  map[string]int32
	freed map[string][]time.Time
}

type podState struct {
	node, app        string
	healthy, leaving bool
}

func newObserver() *observer {
	return &observer{
		stopped: make(chan struct{}), last: time.Now(), pods: map[types.UID]podState{}, onNode: map[string]int{},
		emptied: map[string]time.Time{}, deleted: map[string]time.Time{},
		healthy: map[string]int{}, desired: map[string]int{}, room: map[string]int32{}, freed: map[string][]time.Time{},
	}
}

// observe begins to watch; stop ends it.
func observe(ctx context.Context, w *workload) (*observer, error) {
	o := newObserver()
	for i := range w.apps {
		o.desired[w.apps[i].name] = w.apps[i].desired()
	}
	pods, err := w.kube.CoreV1().Pods(w.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("could not list pods: %w", err)
	}
	for i := range pods.Items {
		o.pod(watch.Added, &pods.Items[i])
	}
	budgets, err := w.kube.PolicyV1().PodDisruptionBudgets(w.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("could not list PodDisruptionBudgets: %w", err)
	}
	for i := range budgets.Items {
		o.budget(&budgets.Items[i])
	}
	podWatch, err := w.kube.CoreV1().Pods(w.namespace).Watch(ctx, metav1.ListOptions{ResourceVersion: pods.ResourceVersion})
	if err != nil {
		return nil, fmt.Errorf("could not watch pods: %w", err)
	}
	o.follow(podWatch)
	budgetWatch, err := w.kube.PolicyV1().PodDisruptionBudgets(w.namespace).Watch(ctx, metav1.ListOptions{ResourceVersion: budgets.ResourceVersion})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("could not watch PodDisruptionBudgets: %w", err), o.stop())
	}
	o.follow(budgetWatch)
	return o, nil
}

func (o *observer) follow(w watch.Interface) {
	o.watches = append(o.watches, w)
	o.running.Go(func() {
		for event := range w.ResultChan() {
			o.take(event)
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.fail(errors.New("a watch ended early"))
	})
}

// fail notes that something was missed; a watch that was stopped may miss
// something. The caller holds the lock.
func (o *observer) fail(err error) {
	select {
	case <-o.stopped:
	default:
		o.errs = append(o.errs, err)
	}
}

// stop ends the watches, and returns an error if something was missed.
func (o *observer) stop() error {
	close(o.stopped)
	for _, w := range o.watches {
		w.Stop()
	}
	o.running.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	return errors.Join(o.errs...)
}

// waitQuiet waits until the workload is at rest.
func (o *observer) waitQuiet(ctx context.Context) error {
	return o.wait(ctx, "the workload to be at rest", func() bool { return time.Since(o.last) > quiet })
}

// waitEmpty waits until no pod is left on the nodes.
func (o *observer) waitEmpty(ctx context.Context, nodes []string) error {
	return o.wait(ctx, "the nodes to be empty", func() bool {
		for _, node := range nodes {
			if o.onNode[node] > 0 {
				return false
			}
		}
		return true
	})
}

// wait waits until done, which is called with the lock held.
func (o *observer) wait(ctx context.Context, what string, done func() bool) error {
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(context.Context) (bool, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		return done(), errors.Join(o.errs...)
	})
	if err != nil {
		return fmt.Errorf("could not wait for %s: %w", what, err)
	}
	return nil
}

func (o *observer) take(event watch.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = time.Now()
	switch object := event.Object.(type) {
	case *corev1.Pod:
		o.pod(event.Type, object)
	case *policyv1.PodDisruptionBudget:
		o.budget(object)
	default:
		o.fail(fmt.Errorf("could not watch: %w", apierrors.FromObject(event.Object)))
	}
}
