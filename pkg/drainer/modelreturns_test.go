// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// mostReturns is how many pods of one controller that came back may be evicted from a node in a minute: the
// first at once, and the others after 5, 15 and 35 seconds.
const mostReturns = 4

// modelReturns are the evictions of the pods of one app from its home, in one drain as far as one drainer
// knows it.
type modelReturns struct {
	node  types.UID
	began time.Time
	// posted is the time when each pod that came back was posted first.
	posted map[types.UID]time.Time
}

// returnPosted checks that pods which come back as fast as they are evicted are not evicted that fast. Those that have run
// to their end go at once: what puts others in their place does so because they have ended.
func (c *modelCheck) returnPosted(pod *corev1.Pod) {
	record := c.pods[pod.UID]
	node := c.liveNode(pod.Spec.NodeName)
	if c.ending || isOver(pod) || record.app.home != pod.Spec.NodeName || node == nil {
		return
	}
	known := c.returns[record.app]
	if known == nil || known.node != node.UID || c.restartedAt.After(known.began) || !c.drainsSince(node.Name, known.began) {
		known = &modelReturns{node: node.UID, began: time.Now(), posted: map[types.UID]time.Time{}}
		c.returns[record.app] = known
	}
	if _, again := known.posted[pod.UID]; again || !record.created.After(known.began) {
		return
	}
	known.posted[pod.UID] = time.Now()
	c.saw["eviction of a pod that came back"]++
	recent := 0
	for _, at := range known.posted {
		if time.Since(at) < time.Minute {
			recent++
		}
	}
	if recent > mostReturns {
		c.fail("%d pods of %s that came back to %s were posted in a minute", recent, record.app.name, node.Name)
	}
}

// drainsSince says whether one hold has drained the node all the time since then.
func (c *modelCheck) drainsSince(node string, since time.Time) bool {
	return slices.ContainsFunc(c.draining(node, since), func(v holdVersion) bool {
		return v.until.IsZero() && v.from.Before(since)
	})
}
