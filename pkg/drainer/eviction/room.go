// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

const (
	// reservationLasts is how long room stays reserved for an eviction that the budget's status never
	// shows: a watch that broke may miss it. It is longer than a watch lags behind an overloaded API
	// server, since an eviction that is posted too early is refused.
	reservationLasts = 30 * time.Second
	// refusalLasts is how long nothing is posted for a budget that refused an eviction although its
	// status shows room. A change of the budget ends that earlier.
	refusalLasts = 10 * time.Second
)

// reservation is room of a budget that one of our evictions takes, until the budget's status
// shows the eviction.
type reservation struct {
	// shown is the time in disruptedPods for this pod's name when we posted; zero when there was
	// none. Only a newer one shows that our eviction was counted.
	shown metav1.Time
	// expires is the time when the room is free again at the latest; zero while the request is under way.
	expires time.Time
}

func (r reservation) expired(now time.Time) bool {
	return !r.expires.IsZero() && !now.Before(r.expires)
}

// refusal is the version of a budget that refused an eviction although it showed room: somebody
// else took the room, and our cache does not show it yet.
type refusal struct {
	resourceVersion string
	expires         time.Time
}

// use says which budget's room an eviction takes.
type use struct {
	// budget is nil when the eviction takes no room.
	budget *Budget
	// exempt says that the eviction takes room only if the pod has become ready meanwhile.
	exempt bool
}

// room is how many more pods the budget lets go, after what our own evictions took already. The
// caller holds the lock.
func (b *Budgets) room(of *Budget, now time.Time) int {
	if r, found := b.refused[of.Name]; found && r.resourceVersion == of.resourceVersion && now.Before(r.expires) {
		return 0
	}
	room := of.room()
	for _, r := range b.reserved[of.Name] {
		if !r.expired(now) {
			room--
		}
	}
	return max(room, 0)
}

// Room is how many more pods the budget of that name lets go at now, after what our own evictions took
// already; 0 if there is no such budget.
func (b *Budgets) Room(name types.NamespacedName, now time.Time) int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if budget := b.named(name); budget != nil {
		return b.room(budget, now)
	}
	return 0
}

// roomNow is room for a caller that does not hold the lock. The budget's latest state counts, for with it
// reservations were dropped: an older one would give the room of an eviction that was counted meanwhile
// a second time.
func (b *Budgets) roomNow(of *Budget, now time.Time) int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if latest := b.named(of.Name); latest != nil {
		of = latest
	}
	return b.room(of, now)
}

// isReserved says whether room is reserved for the pod's eviction: the budget's status does not show it.
func (b *Budgets) isReserved(name types.NamespacedName, pod string) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	_, found := b.reserved[name][pod]
	return found
}

// reserve reserves room of the budget for an eviction that is about to be posted. It drops the budget's
// expired reservations: those for pods that took no room never show in its status.
func (b *Budgets) reserve(name types.NamespacedName, pod string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.reserved[name], func(_ string, r reservation) bool { return r.expired(now) })
	if b.reserved[name] == nil {
		b.reserved[name] = map[string]reservation{}
	}
	var shown metav1.Time
	if current := b.named(name); current != nil {
		shown = current.disrupted[pod]
	}
	b.reserved[name][pod] = reservation{shown: shown}
}

// settle records the answer to an eviction that may take room of a budget. If the API server took the
// room, or may have taken it, the room stays reserved until the budget's status shows the eviction.
// known says that the budget was read after the eviction, so that its status shows it already.
func (b *Budgets) settle(u use, pod string, a Answer, known bool, now time.Time) {
	name := u.budget.Name
	b.mu.Lock()
	defer b.mu.Unlock()
	_, isReserved := b.reserved[name][pod]
	switch {
	case known, a.Outcome != Evicted && !a.unknown:
		b.unreserve(name, pod)
	case isReserved:
		b.reserved[name][pod] = reservation{shown: b.reserved[name][pod].shown, expires: now.Add(reservationLasts)}
	}
	// The refusal of an exempt pod need not mean that there is no room: the pod has changed in the last
	// moment.
	if a.Outcome == DisruptionBudget && !u.exempt {
		b.refused[name] = refusal{resourceVersion: u.budget.resourceVersion, expires: now.Add(refusalLasts)}
	}
}

// seen drops the reservations for evictions that the budget's status now shows, and the refusal by an
// older version of the budget. The caller holds the lock.
func (b *Budgets) seen(current *Budget) {
	for pod, r := range b.reserved[current.Name] {
		if at, found := current.disrupted[pod]; found && !at.Equal(&r.shown) {
			b.unreserve(current.Name, pod)
		}
	}
	if r, found := b.refused[current.Name]; found && r.resourceVersion != current.resourceVersion {
		delete(b.refused, current.Name)
	}
}

// unreserve frees the room that is reserved for the pod. The caller holds the lock.
func (b *Budgets) unreserve(name types.NamespacedName, pod string) {
	delete(b.reserved[name], pod)
	if len(b.reserved[name]) == 0 {
		delete(b.reserved, name)
	}
}

// nextExpiry is the time when the next reservation or refusal expires.
func (b *Budgets) nextExpiry(now time.Time) time.Time {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var next time.Time
	note := func(expires time.Time) {
		if expires.After(now) {
			next = due.Earlier(next, expires)
		}
	}
	for _, pods := range b.reserved {
		for _, r := range pods {
			note(r.expires)
		}
	}
	for _, r := range b.refused {
		note(r.expires)
	}
	return next
}
