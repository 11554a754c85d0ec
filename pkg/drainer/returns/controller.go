// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package returns

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// Settle is how long no pod must come after one was evicted until its controller is taken not to put
	// it back.
	Settle = 5 * time.Second
	// leastWait and mostWait are how long the first eviction after a return waits, and the later ones.
	leastWait, mostWait = 5 * time.Second, time.Minute
	// kept is how long a controller without pods on the node is remembered.
	kept = 2 * mostWait
)

// waits are 5 s, 10, 20, 40, and then a minute.
func waits() wait.Backoff {
	return wait.Backoff{Duration: leastWait, Factor: 2, Steps: 16, Cap: mostWait}
}

// Controller is what is known of a controller whose pods came to a cordoned node.
type Controller struct {
	// Object is the controller, as kind/namespace/name.
	Object string
	// Times counts the pods that came since Since.
	Times int
	// Since is the time when the first of them was created.
	Since time.Time
	// Again says that the controller put a pod back after one that came was evicted.
	Again bool
	// Free says that all of its pods may go at once: it puts none back any more.
	Free bool
	// Next is the time when the next pod may be evicted; zero: now.
	Next time.Time
	// Chosen is the pod whose turn to be evicted it is; empty: none has been chosen.
	Chosen types.UID
	// Recheck is the time when passing time alone may let another pod go; unless it is in the future, only a change
	// can.
	Recheck time.Time

	// chosenAt is the time since which Chosen has been chosen.
	chosenAt time.Time
	// passed were chosen and could not leave in time, for example because of their budget.
	passed sets.Set[types.UID]
	// present are its pods on the node, but for those that were there before.
	present sets.Set[types.UID]
	// evicted is the time when the chosen pod was first seen to leave; zero: nothing left since the last return.
	evicted time.Time
	// changed is the time when a pod came or went last, or when one was last seen to be terminating.
	changed time.Time
	// quiet is how long nothing must come until it is clear that nothing will. It grows with the time that
	// the controller was seen to take.
	quiet time.Duration
	waits wait.Backoff
}

// newController is a controller of which these pods came first.
func newController(object string, pods []*corev1.Pod) *Controller {
	first := slices.MinFunc(pods, func(a, b *corev1.Pod) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	return &Controller{Object: object, Since: first.CreationTimestamp.Time, quiet: Settle, waits: waits()}
}

// MayGo says whether the pod may be the one that is evicted, or is it already. The next one waits until it
// is known whether the last one was put back, but not for longer than a minute.
func (c *Controller) MayGo(pod types.UID, now time.Time) bool {
	switch {
	case c.Chosen != "":
		return c.Chosen == pod
	case !c.evicted.IsZero():
		return !now.Before(c.evicted.Add(mostWait))
	default:
		return !now.Before(c.Next) && !c.passed.Has(pod)
	}
}

// choose notes which pod is evicted; empty: none. If none may go, those that were passed over get another
// chance: the others may be waiting for something else.
func (c *Controller) choose(pod types.UID, now time.Time) {
	if pod == "" {
		c.passed = nil
	}
	if pod != c.Chosen {
		c.Chosen, c.chosenAt = pod, now
	}
}

// passOver lets another pod be chosen if the chosen one could not leave for a minute: it may wait for its
// budget, and that may be for good.
func (c *Controller) passOver(now time.Time) {
	if c.Chosen != "" && !now.Before(c.chosenAt.Add(mostWait)) {
		c.passed = c.passed.Union(sets.New(c.Chosen))
		c.Chosen = ""
	}
	if c.passed.IsSuperset(c.present) {
		c.passed = nil
	}
}

// LeavingUntil is until when a pod in the place of the chosen one, which is leaving, is likely to come; zero:
// none is.
func (c *Controller) LeavingUntil() time.Time {
	if !c.Again || c.evicted.IsZero() {
		return time.Time{}
	}
	return c.changed.Add(c.quiet)
}

// observe takes in the controller's pods on the node, terminating ones included.
func (c *Controller) observe(pods []*corev1.Pod, now time.Time) {
	present, terminating := sets.New[types.UID](), sets.New[types.UID]()
	for _, pod := range pods {
		present.Insert(pod.UID)
		if !pod.DeletionTimestamp.IsZero() {
			terminating.Insert(pod.UID)
		}
	}
	if c.Chosen != "" && (!present.Has(c.Chosen) || terminating.Has(c.Chosen)) {
		c.Chosen, c.evicted = "", now
	}
	if !now.Before(c.changed.Add(kept)) {
		c.evicted, c.quiet, c.waits = time.Time{}, Settle, waits() // what comes now is no answer to that
	}
	if came := present.Difference(c.present); came.Len() > 0 {
		c.came(came.Len(), now)
	}
	if terminating.Len() > 0 || !present.Equal(c.present) {
		c.changed = now
	}
	c.present = present
	c.passOver(now)
	c.settle(terminating.Len() > 0, now)
}

// came counts pods that came. If one was evicted before, the next one waits longer.
func (c *Controller) came(count int, now time.Time) {
	c.Times, c.Free = c.Times+count, false
	if c.evicted.IsZero() {
		return
	}
	c.quiet = min(max(c.quiet, 2*now.Sub(c.changed)), mostWait)
	c.Again, c.evicted, c.Next = true, time.Time{}, now.Add(c.waits.Step())
}

// settle lets all pods go when none has come for long enough, and says when to look again.
func (c *Controller) settle(terminating bool, now time.Time) {
	quiet := c.changed.Add(c.quiet)
	if !c.evicted.IsZero() && !terminating && !now.Before(quiet) {
		c.Free, c.Again, c.Next = true, false, time.Time{}
	}
	switch {
	case c.Chosen != "":
		c.Recheck = c.chosenAt.Add(mostWait)
	case c.evicted.IsZero():
		c.Recheck = c.Next
	case terminating:
		c.Recheck = c.evicted.Add(mostWait)
	default:
		c.Recheck = quiet
	}
}

// restless says for how long the node may not be called empty yet, because the controller has put its
// pods back until now; zero: it may.
func (c *Controller) restless(now time.Time) time.Duration {
	if !c.Again || c.evicted.IsZero() {
		return 0
	}
	return max(c.changed.Add(c.quiet).Sub(now), 0)
}

// forgotten says whether nothing need be remembered of the controller.
func (c *Controller) forgotten(now time.Time) bool {
	return c.present.Len() == 0 && !now.Before(c.changed.Add(kept))
}
