// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// What is to happen with each of a node's 500 pods, which 20 budgets hold back.
func BenchmarkPlan500Pods(b *testing.B) {
	pods := drainertest.BenchPods(drainertest.NodeName, 500)
	in := Input{
		Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Holds: holdsOf(drainertest.Hold{Name: "a"}),
		Budgets: snapshot(drainertest.BenchBudgets()...), Now: drainertest.Epoch,
	}
	for b.Loop() {
		if plan := Make(in); len(plan.Evictions()) != len(pods) {
			b.Fatalf("%d evictions", len(plan.Evictions()))
		}
	}
}
