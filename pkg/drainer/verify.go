// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/pager"
)

const (
	// listPage is how many pods are listed at a time.
	listPage = 500
	// listAgain is when to list a node's pods again that the watch, but not the list, shows
	// empty.
	listAgain = time.Second
)

// verify has a fresh list from the API server confirm, for each hold whose pods seem to have
// left, that they have: a watch may lag.
func (d *Drainer) verify(ctx context.Context, v *view, state *drainState) error {
	var left []*corev1.Pod
	var drainable sets.Set[types.UID]
	for _, h := range v.active {
		f := state.byHold[h.UID]
		if f == nil || h.invalid != nil || len(f.pending) > 0 || staysDrained(h, v.memory.hold(h.UID).draft.of(h), 0) {
			continue
		}
		if drainable == nil {
			var err error
			if left, drainable, err = d.listPods(ctx, v.name, true); err != nil {
				return err
			}
		}
		gone, leaves := h.drainedBy(left, drainable, d.caches)
		f.empty, f.leaves = len(gone) == 0, leaves
		if !f.empty {
			state.again = shorter(state.again, listAgain)
		}
	}
	return nil
}

// listPods asks the API server for the pods of the node, as they are now if fresh and else as its
// cache has them, and says which of them a drain evicts.
func (d *Drainer) listPods(ctx context.Context, node string, fresh bool) ([]*corev1.Pod, sets.Set[types.UID], error) {
	options := metav1.ListOptions{FieldSelector: podsOf(node)}
	if !fresh {
		options.ResourceVersion = "0"
	}
	var pods []*corev1.Pod
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return d.config.Kube.CoreV1().Pods(metav1.NamespaceAll).List(ctx, options)
	})
	pages.PageSize = listPage
	err := pages.EachListItem(ctx, options, func(obj runtime.Object) error {
		if pod, isPod := obj.(*corev1.Pod); isPod {
			pods = append(pods, pod)
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("could not list pods of node %s: %w", node, err)
	}
	drainable, err := d.selector.drainable(ctx, node, pods)
	return pods, drainable, err
}
