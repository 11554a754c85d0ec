// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterwatch

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
)

// Load is what a drain of a node would take: of all its pods, as a drain without options.
type Load struct {
	// Pods is how many pods it would evict.
	Pods int
	// Budgets is how many of these pods each disruption budget selects.
	Budgets map[types.NamespacedName]int
}

// Load says what a drain of the node would take.
func (w *Watcher) Load(ctx context.Context, node string) (Load, error) {
	if err := w.Ready(); err != nil {
		return Load{}, err
	}
	pods, drainable, err := w.ListPods(ctx, node, false)
	if err != nil {
		return Load{}, err
	}
	load := Load{Pods: drainable.Len(), Budgets: map[types.NamespacedName]int{}}
	budgets := w.Budgets.Snapshot(pods, w.config.Clock.Now())
	for _, pod := range pods {
		if !drainable.Has(pod.UID) {
			continue
		}
		for _, budget := range budgets.Selecting(pod) {
			load.Budgets[budget.Name]++
		}
	}
	return load, nil
}
