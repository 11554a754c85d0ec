// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import "k8s.io/apimachinery/pkg/types"

// Selection counts the pods that a drain of all pods would evict, and how many of them the hold, alone,
// leaves on the node.
func (p Plan) Selection(hold types.UID) (drainable, skipped int) {
	if alone := p.byHold[hold]; alone != nil {
		return p.drainable, alone.skipped
	}
	return p.drainable, p.drainable
}

// drains says whether the hold, alone, wants the pod gone.
func (p Plan) drains(hold types.UID, pod Pod) bool {
	alone := p.byHold[hold]
	return alone != nil && alone.decisions[pod.index].goes()
}
