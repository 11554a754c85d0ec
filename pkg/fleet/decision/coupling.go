// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import "k8s.io/apimachinery/pkg/types"

// budgets is how many pods of nodes in maintenance each disruption budget selects.
type budgets map[types.NamespacedName]int

// add adds the pods of a node that starts.
func (b budgets) add(load PodLoad) {
	for budget, pods := range load.Budgets {
		b[budget] += pods
	}
}

// coupled is how many pods of a node would have to wait: their budgets are needed by nodes in maintenance, and do not
// allow all of these pods to go.
func (b budgets) coupled(load PodLoad) int {
	waiting := 0
	for budget, pods := range load.Budgets {
		if b[budget] == 0 {
			continue
		}
		waiting += min(max(b[budget]+pods-load.Allowed[budget], 0), pods)
	}
	return waiting
}
