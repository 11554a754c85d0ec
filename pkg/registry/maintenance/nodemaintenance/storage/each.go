// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/panics"
)

// sideBySide is on how many nodes the holds of one request are worked on at the same time. Most of the
// time is spent waiting: for the disk, which serves several writes at once, and for access reviews.
const sideBySide = 16

// each calls do with the index of each hold: side by side for different nodes, and one after the other
// for the same node, so that an access review for the node is made only once. After an error or a panic, no
// further call begins. It returns when all have ended, with the error of the first hold that has one.
func each(ctx context.Context, holds []v1beta1.NodeMaintenance, do func(i int) error) error {
	nodes := indexesByNode(holds)
	errs := make([]error, len(holds))
	var next atomic.Int64
	var failed atomic.Bool
	work := func() {
		for taken := next.Add(1) - 1; taken < int64(len(nodes)); taken = next.Add(1) - 1 {
			for _, i := range nodes[taken] {
				if failed.Load() {
					return
				}
				if errs[i] = panics.ToError(ctx, func() error { return do(i) }); errs[i] != nil {
					failed.Store(true)
				}
			}
		}
	}
	var running sync.WaitGroup
	for range min(sideBySide, len(nodes)) {
		running.Go(work)
	}
	running.Wait()
	return cmp.Or(errs...)
}

// indexesByNode has the indexes of the holds on each node, in the order of the holds.
func indexesByNode(holds []v1beta1.NodeMaintenance) [][]int {
	var nodes [][]int
	place := map[string]int{}
	for i := range holds {
		at, found := place[holds[i].Spec.NodeName]
		if !found {
			at = len(nodes)
			place[holds[i].Spec.NodeName] = at
			nodes = append(nodes, nil)
		}
		nodes[at] = append(nodes[at], i)
	}
	return nodes
}
