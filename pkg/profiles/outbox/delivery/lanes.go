// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"slices"
	"sync"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// atOnceTo is how many notifications are sent to one endpoint at the same time, however many channels it has. So one that
// does not answer takes a few workers, and not all of them.
const atOnceTo = 2

// lane is what notifications are sent to one at a time: an endpoint and a channel.
type lane struct {
	endpoint, channel string
}

func laneOf(target v1beta1.NotificationTarget) lane { return lane{target.Endpoint, target.Channel} }

// lanes say who may send. Whoever finds a lane taken, or too many of its endpoint, is woken when one of them is free.
type lanes struct {
	wake func(who key)

	mu    sync.Mutex
	taken map[lane]bool
	// busy is how many lanes of an endpoint are taken, and waiting who waits for one.
	busy    map[string]int
	waiting map[string][]key
	// rests is until when a lane is not to be used, since the other side has asked for that.
	rests map[lane]time.Time
}

func newLanes(wake func(who key)) *lanes {
	return &lanes{
		wake: wake, taken: map[lane]bool{}, busy: map[string]int{}, waiting: map[string][]key{}, rests: map[lane]time.Time{},
	}
}

// enter takes a lane. If it is not free, who asks is woken later; if it rests, until says when to come back.
func (l *lanes) enter(way lane, who key, now time.Time) (entered bool, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if rests := l.rests[way]; now.Before(rests) {
		return false, rests
	}
	delete(l.rests, way)
	if !l.taken[way] && l.busy[way.endpoint] < atOnceTo {
		l.taken[way] = true
		l.busy[way.endpoint]++
		return true, time.Time{}
	}
	if waiting := l.waiting[way.endpoint]; !slices.Contains(waiting, who) {
		l.waiting[way.endpoint] = append(waiting, who)
	}
	return false, time.Time{}
}

// leave frees a lane, which then rests until a time; zero: it does not.
func (l *lanes) leave(way lane, rests time.Time) {
	l.mu.Lock()
	waiting := l.waiting[way.endpoint]
	delete(l.waiting, way.endpoint)
	delete(l.taken, way)
	if l.busy[way.endpoint]--; l.busy[way.endpoint] == 0 {
		delete(l.busy, way.endpoint)
	}
	if !rests.IsZero() {
		l.rests[way] = rests
	}
	l.mu.Unlock()
	for _, who := range waiting {
		l.wake(who)
	}
}
