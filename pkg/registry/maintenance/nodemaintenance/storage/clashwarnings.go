// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// warnOfClashes warns where this hold evicts what another one blocks, and the other way round. Block
// protects pods only from the hold that says it.
func warnOfClashes(ctx context.Context, hold *v1beta1.NodeMaintenance, plan *v1beta1.DrainPlanStatus) {
	evicts, blocks := podsByOther{}, podsByOther{}
	for _, pod := range plan.Pods {
		if includes(pod.EvictingHolds, hold.Name) {
			evicts.add(pod.BlockingHolds, pod.Pod)
		}
		if includes(pod.BlockingHolds, hold.Name) {
			blocks.add(pod.EvictingHolds, pod.Pod)
		}
	}
	evicts.warn(ctx, "hold %q of %q blocks pods of node %q that this hold evicts all the same: %s", hold.Spec.NodeName)
	blocks.warn(ctx, "Block of this hold does not protect pods from hold %q of %q, which evicts them from node %q: %s", hold.Spec.NodeName)
}

func includes(holds []v1beta1.PlannedHold, name string) bool {
	return slices.ContainsFunc(holds, func(h v1beta1.PlannedHold) bool { return h.Name == name })
}

// podsByOther has the pods about which this hold and another one disagree, by that other hold.
type podsByOther map[v1beta1.PlannedHold][]string

func (p podsByOther) add(others []v1beta1.PlannedHold, pod string) {
	for _, other := range others {
		p[other] = append(p[other], pod)
	}
}

// warn warns of the holds with the most pods. The format is for a hold, its requestor, the node and pods.
func (p podsByOther) warn(ctx context.Context, format, node string) {
	others := slices.SortedFunc(maps.Keys(p), func(a, b v1beta1.PlannedHold) int {
		return cmp.Or(cmp.Compare(len(p[b]), len(p[a])), cmp.Compare(a.Name, b.Name))
	})
	for _, other := range others[:min(len(others), maxHoldsNamed)] {
		warning.AddWarning(ctx, "", fmt.Sprintf(format, other.Name, other.Requestor, node, counted(p[other])))
	}
}
