// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// benchBudgets is how many disruption budgets a namespace has in the benchmarks.
const benchBudgets = 20

// BenchPods builds the pods of one node for a benchmark, of as many apps as there are BenchBudgets.
func BenchPods(node string, count int) []*corev1.Pod {
	pods := make([]*corev1.Pod, 0, count)
	for i := range count {
		pods = append(pods, Pod{
			Name: fmt.Sprintf("%s-%d", node, i), Node: node, App: fmt.Sprintf("app%d", i%benchBudgets),
		}.Object())
	}
	return pods
}

// BenchBudgets are a budget for each of the apps, which waits for a pod to become healthy.
func BenchBudgets() []Budget {
	budgets := make([]Budget, 0, benchBudgets)
	for i := range benchBudgets {
		name := fmt.Sprintf("app%d", i)
		budgets = append(budgets, Budget{Name: name, App: name, Desired: 99, Healthy: 99, Expected: 100})
	}
	return budgets
}
