// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"context"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"
)

// underWay is how long an eviction that is not wanted any more may still be carried out: longer than the
// request may take.
const underWay = 40 * time.Second

// early is how long a process must have led before it counts on what it knows of the replicas. Two things show
// by then: evictions that the last leader has begun, and that a replica's node has died, perhaps with that leader.
// Kubernetes takes up to 50 seconds to say so, of which the election has taken the first 10.
const early = 40 * time.Second

// Ledger is for the process that leads, and made when it begins to. It knows which replicas are about to be
// evicted. Use NewLedger.
type Ledger struct {
	reader Reader
	clock  clock.PassiveClock
	began  time.Time
	// handedOver says that the last leader has ended in order.
	handedOver bool

	// deciding is full from the look at the replicas until it is noted which of them are to go.
	deciding chan struct{}

	// lock guards going: the replicas that are about to go, by UID.
	lock  sync.Mutex
	going map[types.UID]departure
}

// departure is a replica that is about to go.
type departure struct {
	node string
	// until is how long it counts as such; zero: as long as the node wants it gone.
	until time.Time
}

// NewLedger returns a Ledger for the replicas that the reader lists. handedOver says that the last leader has ended in
// order, so that this one need not wait before it counts on what it knows.
func NewLedger(reader Reader, time clock.PassiveClock, handedOver bool) *Ledger {
	return &Ledger{reader: reader, clock: time, began: time.Now(), handedOver: handedOver, deciding: make(chan struct{}, 1), going: map[types.UID]departure{}}
}

// Look returns what is known of the replicas for a plan for the node, which has these pods. decided must be
// called with those of its replicas that are to go. Until then, no other node with a replica is looked at.
func (l *Ledger) Look(ctx context.Context, node string, pods []*corev1.Pod) (facts Facts, decided func(going []types.UID)) {
	if !l.reader.Server.runsAny(pods) {
		l.note(node, nil)
		return l.reader.Facts(ctx, nil, nil), func([]types.UID) {}
	}
	select {
	case l.deciding <- struct{}{}:
	case <-ctx.Done():
		l.note(node, nil)
		return Facts{Server: l.reader.Server, Failure: ctx.Err().Error()}, func([]types.UID) {}
	}
	facts = l.reader.Facts(ctx, pods, l.Leaving())
	facts.Early = !l.handedOver && l.clock.Now().Sub(l.began) < early
	return facts, func(going []types.UID) {
		l.note(node, going)
		<-l.deciding
	}
}

// Leaving are the replicas that are about to go, from any node. One that is not wanted gone any more
// counts for a while: its eviction may be under way.
func (l *Ledger) Leaving() sets.Set[types.UID] {
	l.lock.Lock()
	defer l.lock.Unlock()
	maps.DeleteFunc(l.going, func(_ types.UID, d departure) bool { return !d.until.IsZero() && !l.clock.Now().Before(d.until) })
	return sets.KeySet(l.going)
}

// Going are the replicas that are about to go, each with its node.
func (l *Ledger) Going() map[types.UID]string {
	going := map[types.UID]string{}
	for uid := range l.Leaving() {
		going[uid] = l.going[uid].node
	}
	return going
}

// Stop notes that nothing is to be evicted from the node any more.
func (l *Ledger) Stop(node string) { l.note(node, nil) }

// note replaces the replicas that are to go from the node.
func (l *Ledger) note(node string, going []types.UID) {
	l.lock.Lock()
	defer l.lock.Unlock()
	for uid, departure := range l.going {
		if departure.node == node && departure.until.IsZero() {
			departure.until = l.clock.Now().Add(underWay)
			l.going[uid] = departure
		}
	}
	for _, uid := range going {
		l.going[uid] = departure{node: node}
	}
}
