// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// floorInFlight is how many pods without a budget are evicted at a time. More
// make no kube-apiserver on a small machine faster.
const floorInFlight = 64

// floor is what no general tool can be: it knows before the clock starts which
// pods there are and which budget is whose, and has nothing to record.
type floor struct {
	client    kubernetes.Interface
	namespace string
	// free are the pods without a budget; protected those of each budget, which
	// wait for its watch to say that there is room.
	free      []*corev1.Pod
	protected map[string][]*corev1.Pod
	budgets   map[string]*budgetView
	watched   watch.Interface
}

func (*floor) user() string { return serviceAccountUser(toolsNamespace, toolFloor) }

func (f *floor) prepare(ctx context.Context, w *workload, nodes []string) error {
	f.namespace, f.free, f.protected, f.budgets = w.namespace, nil, map[string][]*corev1.Pod{}, map[string]*budgetView{}
	list, err := f.client.PolicyV1().PodDisruptionBudgets(w.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("could not list PodDisruptionBudgets: %w", err)
	}
	for i := range list.Items {
		view := newBudgetView()
		view.take(&list.Items[i])
		f.budgets[list.Items[i].Name] = view
	}
	if f.watched, err = f.client.PolicyV1().PodDisruptionBudgets(w.namespace).Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion}); err != nil {
		return fmt.Errorf("could not watch PodDisruptionBudgets: %w", err)
	}
	return f.learnPods(ctx, nodes)
}

// learnPods sorts the pods by node, so that nodes become empty one after the other.
func (f *floor) learnPods(ctx context.Context, nodes []string) error {
	list, err := f.client.CoreV1().Pods(f.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("could not list pods: %w", err)
	}
	slices.SortFunc(list.Items, func(a, b corev1.Pod) int { return strings.Compare(a.Spec.NodeName, b.Spec.NodeName) })
	for i := range list.Items {
		pod := &list.Items[i]
		app := pod.Labels[appLabel]
		switch {
		case !slices.Contains(nodes, pod.Spec.NodeName):
		case f.budgets[app] == nil:
			f.free = append(f.free, pod)
		default:
			f.protected[app] = append(f.protected[app], pod)
		}
	}
	return nil
}

// drain returns when the last eviction was accepted. That the nodes are empty
// is seen by whoever watches.
func (f *floor) drain(ctx context.Context, nodes []string) (map[string]time.Time, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var watching sync.WaitGroup
	watching.Go(f.follow)
	defer watching.Wait()
	defer f.watched.Stop()
	if err := f.cordon(ctx, nodes, true); err != nil {
		return nil, err
	}
	work := []func() error{func() error {
		return inParallel(f.free, floorInFlight, func(pod *corev1.Pod) error { return f.evict(ctx, pod) })
	}}
	for name, pods := range f.protected {
		work = append(work, func() error { return f.drainBudget(ctx, f.budgets[name], pods) })
	}
	return nil, inParallel(work, len(work), func(do func() error) error { return do() })
}

func (f *floor) giveBack(ctx context.Context, nodes []string) error {
	return f.cordon(ctx, nodes, false)
}

func (f *floor) cordon(ctx context.Context, nodes []string, unschedulable bool) error {
	patch := fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, unschedulable)
	return inParallel(nodes, setUpParallel, func(node string) error {
		if _, err := f.client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("could not patch node %s: %w", node, err)
		}
		return nil
	})
}

func (f *floor) evict(ctx context.Context, pod *corev1.Pod) error {
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
	if err := f.client.PolicyV1().Evictions(pod.Namespace).Evict(ctx, eviction); err != nil {
		return fmt.Errorf("could not evict pod %s: %w", pod.Name, err)
	}
	return nil
}
