// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// sideBySide is how many holds of one request are worked on at the same time. Most of the time is spent
// waiting: for the disk, which serves several writes at once, and for access reviews.
const sideBySide = 16

// each calls do with the index of each hold. Holds on the same node follow each other closely, so that the
// drainer finds the node's holds deleted together, and gives the node back once. After an error no
// further call begins. It returns when all have ended, with the error of the first hold that has one.
func each(holds []maintenance.NodeMaintenance, do func(i int) error) error {
	order := make([]int, len(holds))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(holds[a].Spec.NodeName, holds[b].Spec.NodeName) })
	errs := make([]error, len(holds))
	var next atomic.Int64
	var failed atomic.Bool
	var running sync.WaitGroup
	for range min(sideBySide, len(holds)) {
		running.Go(func() {
			for !failed.Load() {
				taken := next.Add(1) - 1
				if taken >= int64(len(order)) {
					return
				}
				i := order[taken]
				if errs[i] = do(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	running.Wait()
	return cmp.Or(errs...)
}
