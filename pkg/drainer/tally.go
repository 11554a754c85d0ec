// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// tally counts the pods that one drain of one hold moves in all. Pods that came and went since
// the process started are counted one by one; of those before it, status says how many.
type tally struct {
	seen    sets.Set[types.UID]
	earlier int
}

// count takes in the pods that are still to leave and returns how many the drain moves in all.
func (t *tally) count(old v1beta1.NodeMaintenanceStatus, pending []*corev1.Pod) int {
	switch {
	case drained(old) && len(pending) == 0:
		return int(old.EvictionPods)
	case !draining(old):
		*t = tally{seen: sets.New[types.UID]()}
	case t.seen == nil:
		gone := max(int(old.EvictionPods-old.PendingPodCount), 0)
		total := max(int(old.EvictionPods), gone+len(pending))
		*t = tally{seen: sets.New[types.UID](), earlier: total - len(pending)}
	}
	for _, pod := range pending {
		t.seen.Insert(pod.UID)
	}
	return t.earlier + t.seen.Len()
}
