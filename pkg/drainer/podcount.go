// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// podCount counts the pods that one drain of one hold moves in all. Pods that this process has seen are
// counted one by one, even if they are gone. How many there were before that is known from the status.
type podCount struct {
	// start is when the drain began that was counted last.
	start   *metav1.Time
	seen    sets.Set[types.UID]
	earlier int
}

// count adds the pods that are still to leave, and returns how many pods the drain moves in all.
func (c *podCount) count(status v1beta1.NodeMaintenanceStatus, pending []*corev1.Pod) int {
	switch {
	case drained(status) && len(pending) == 0:
		return int(status.EvictionPods)
	case !draining(status):
		*c = podCount{seen: sets.New[types.UID]()}
	case c.seen == nil || !c.start.Equal(status.StartTime):
		gone := max(int(status.EvictionPods-status.PendingPodCount), 0)
		total := max(int(status.EvictionPods), gone+len(pending))
		*c = podCount{seen: sets.New[types.UID](), earlier: total - len(pending)}
	}
	for _, pod := range pending {
		c.seen.Insert(pod.UID)
	}
	return c.earlier + c.seen.Len()
}

// countedFor notes which drain was counted: the one that began at start.
func (c *podCount) countedFor(start *metav1.Time) { c.start = start }
