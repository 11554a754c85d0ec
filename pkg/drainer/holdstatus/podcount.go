// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/returns"
)

// podCount counts the pods that one drain of one hold moves in all. Pods that this process has seen are
// counted one by one, even if they are gone. How many there were before that is known from the status.
type podCount struct {
	// start is the time when the drain began that was counted last.
	start   *metav1.Time
	seen    sets.Set[types.UID]
	earlier int
	// came has the pods to leave that were counted as pods that came back, with their controller.
	came map[types.UID]string
	// returned has for each controller whose pods came back how many of these were pending at a time, at
	// most. So pods that come back again and again are not counted again and again.
	returned map[string]int
}

func newPodCount(earlier int) podCount {
	return podCount{seen: sets.New[types.UID](), earlier: earlier, returned: map[string]int{}}
}

// Count adds the pods that are still to leave, and returns how many pods the drain moves in all. back are
// the pods of the node that came back.
func (c *podCount) Count(status v1beta1.NodeMaintenanceStatus, pending []*corev1.Pod, back returns.Pods) int {
	switch {
	case Drained(status) && len(pending) == 0:
		return int(status.EvictionPods)
	case !draining(status):
		*c = newPodCount(0)
	case c.seen == nil || !c.start.Equal(status.StartTime):
		gone := max(int(status.EvictionPods-status.PendingPodCount), 0)
		total := max(int(status.EvictionPods), gone+len(pending))
		*c = newPodCount(total - len(pending))
	}
	c.add(pending, back)
	return c.total()
}

func (c *podCount) total() int {
	total := c.earlier + c.seen.Len()
	for _, most := range c.returned {
		total += most
	}
	return total
}

// add counts each pod once: as one that came back, or as another. What it is may look different later.
func (c *podCount) add(pending []*corev1.Pod, back returns.Pods) {
	together, came := map[string]int{}, map[types.UID]string{}
	for _, pod := range pending {
		object := cmp.Or(c.came[pod.UID], back[pod.UID].Object)
		if object == "" || c.seen.Has(pod.UID) {
			c.seen.Insert(pod.UID)
			continue
		}
		came[pod.UID] = object
		together[object]++
	}
	c.came = came
	for object, count := range together {
		c.returned[object] = max(c.returned[object], count)
	}
}

// CountedFor notes what was said after counting: of which drain, and of how many pods. A drain of which no
// pod has been counted begins anew.
func (c *podCount) CountedFor(said v1beta1.NodeMaintenanceStatus) {
	if said.EvictionPods == 0 {
		*c = newPodCount(0)
	}
	c.start = said.StartTime
}
