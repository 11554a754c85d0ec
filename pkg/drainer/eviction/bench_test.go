// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"fmt"
	"testing"

	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// One look at 10,000 queued evictions of 100 nodes, none of which may be posted: what every
// change of a budget costs at worst.
func BenchmarkDispatch10000Evictions(b *testing.B) {
	d := NewDispatcher(Config{
		Clock: clock.RealClock{}, Client: newFakeClient(), InFlight: 64, Changed: func(string) {},
		Budgets: makeBook(drainertest.BenchBudgets()...),
	})
	for i := range 100 {
		node := fmt.Sprintf("n%d", i)
		pods := drainertest.BenchPods(node, 100)
		evictions := make([]Eviction, 0, len(pods))
		for _, pod := range pods {
			evictions = append(evictions, Eviction{Pod: pod})
		}
		d.Want(node, Wanted{Evictions: evictions, ToGo: len(evictions), Pods: pods})
	}
	for b.Loop() {
		d.dispatch(b.Context())
	}
	if d.inFlight.Len() > 0 {
		b.Fatal("an eviction was posted")
	}
}
