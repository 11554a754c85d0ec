// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// Selection counts the pods that a drain of all pods would evict, and how many of them the hold, alone,
// leaves on the node.
func (p Plan) Selection(hold types.UID) (drainable, skipped int) {
	if alone := p.byHold[hold]; alone != nil {
		return p.drainable, alone.staying
	}
	return p.drainable, p.drainable
}

// drains says whether the hold, alone, wants the pod gone.
func (p Plan) drains(hold, pod types.UID) bool {
	alone := p.byHold[hold]
	i := slices.IndexFunc(p.Pods, func(planned Pod) bool { return planned.Pod.UID == pod })
	return alone != nil && i >= 0 && alone.decisions[i].goes()
}
