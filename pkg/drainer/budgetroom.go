// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// reservationLasts bounds how long room is held for an eviction whose trace in the budget's
	// status was missed: a watch that broke may skip it. It is longer than a watch may lag
	// when the API server has too much to do, since giving the room away then is a refusal.
	reservationLasts = 30 * time.Second
	// refusalLasts bounds how long a budget that refused in spite of the room it shows is left
	// alone when its status does not change.
	refusalLasts = 10 * time.Second
	// exemptLasts is how long room is held for an eviction that should not take any: where the pod
	// has become ready in the last moment it does, and the budget's status shows so a moment later.
	exemptLasts = 300 * time.Millisecond
)

// reservation is room of a budget that one of our evictions takes, until the budget's status
// takes it into account.
type reservation struct {
	// shown is when an earlier eviction of a pod of that name was made that the status showed when
	// this one was posted; zero when it showed none.
	shown metav1.Time
	// expires is zero while the request is under way.
	expires time.Time
}

// refusal notes which version of a budget refused an eviction that it seemed to allow: somebody
// else took the room in between, and our cache does not know yet.
type refusal struct {
	resourceVersion string
	expires         time.Time
}

// room is how many more pods the budget lets go, after what our own evictions took already.
func (b *budgetBook) room(of *budget, now time.Time) int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if r, found := b.refused[of.key]; found && r.resourceVersion == of.resourceVersion && now.Before(r.expires) {
		return 0
	}
	room := of.room()
	for _, post := range b.posts[of.key] {
		if post.expires.IsZero() || now.Before(post.expires) {
			room--
		}
	}
	return max(room, 0)
}

// reserve takes room of the budget for an eviction that is about to be posted. What has run out is
// dropped then: a budget's status never shows the pods that took none of its room.
func (b *budgetBook) reserve(key types.NamespacedName, pod string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.posts[key], func(_ string, post reservation) bool {
		return !post.expires.IsZero() && !now.Before(post.expires)
	})
	if b.posts[key] == nil {
		b.posts[key] = map[string]reservation{}
	}
	var shown metav1.Time
	if current := b.budgets[key.Namespace][key.Name]; current != nil {
		shown = current.disrupted[pod]
	}
	b.posts[key][pod] = reservation{shown: shown}
}

// settle notes the answer to an eviction that took room of the budget. Where the eviction was, or
// may have been, carried out as far as that, the room stays taken until the budget's status shows it.
func (b *budgetBook) settle(c claim, pod string, v verdict, now time.Time) {
	of := c.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case v.outcome != outcomeEvicted && !v.unknown:
		b.drop(of.key, pod)
	case b.holds(of.key, pod):
		b.posts[of.key][pod] = reservation{shown: b.posts[of.key][pod].shown, expires: now.Add(c.lasts())}
	}
	// An exempt pod may be refused although there is room: it has changed in the last moment.
	if v.outcome == outcomeDisruptionBudget && !c.exempt {
		b.refused[of.key] = refusal{resourceVersion: of.resourceVersion, expires: now.Add(refusalLasts)}
	}
}

// nextExpiry is when the next reservation or refusal runs out; zero when there is none.
func (b *budgetBook) nextExpiry(now time.Time) time.Time {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var next time.Time
	for _, pods := range b.posts {
		for _, post := range pods {
			if post.expires.After(now) {
				next = earlier(next, post.expires)
			}
		}
	}
	for _, r := range b.refused {
		if r.expires.After(now) {
			next = earlier(next, r.expires)
		}
	}
	return next
}

// seen drops the reservations that the budget's status now covers, and a refusal by an older
// version. The caller holds the lock.
func (b *budgetBook) seen(current *budget) {
	for pod, post := range b.posts[current.key] {
		if at, found := current.disrupted[pod]; found && !at.Equal(&post.shown) {
			b.drop(current.key, pod)
		}
	}
	if r, found := b.refused[current.key]; found && r.resourceVersion != current.resourceVersion {
		delete(b.refused, current.key)
	}
}

// holds says whether room of the budget is held for the pod. The caller holds the lock.
func (b *budgetBook) holds(key types.NamespacedName, pod string) bool {
	_, found := b.posts[key][pod]
	return found
}

func (b *budgetBook) drop(key types.NamespacedName, pod string) {
	delete(b.posts[key], pod)
	if len(b.posts[key]) == 0 {
		delete(b.posts, key)
	}
}

// permit says whether the API server would let a pod go now.
type permit struct {
	allowed bool
	// takes is the budget whose room the eviction uses up; nil when it uses none.
	takes *budget
	// exemptFrom is the one budget that does not protect the pod as long as it is not ready.
	exemptFrom *budget
	// blockedBy are the budgets in the way when it is not allowed.
	blockedBy []*budget
}

// permitFor follows the rules of the API server's eviction handler. room says how much of a
// budget is left.
func permitFor(pod *corev1.Pod, budgets []*budget, room func(*budget) int) permit {
	switch {
	case len(budgets) == 0, finished(pod):
		return permit{allowed: true}
	case pod.Status.Phase == corev1.PodPending:
		return permit{allowed: true, exemptFrom: budgets[0]}
	case len(budgets) > 1:
		return permit{blockedBy: budgets}
	}
	only := budgets[0]
	if !podReady(pod) && (only.alwaysAllow || (only.healthy >= only.desired && only.desired > 0)) {
		return permit{allowed: true, exemptFrom: only}
	}
	if room(only) > 0 {
		return permit{allowed: true, takes: only}
	}
	return permit{blockedBy: budgets}
}

// claim is the room that the permit's eviction takes of a budget, or may take.
func (p permit) claim() claim {
	if p.exemptFrom != nil {
		return claim{budget: p.exemptFrom, exempt: true}
	}
	return claim{budget: p.takes}
}

// claim is the room that an eviction takes of a budget; none where that is nil.
type claim struct {
	budget *budget
	// exempt says that it takes none unless the pod has become ready meanwhile.
	exempt bool
}

func (c claim) lasts() time.Duration {
	if c.exempt {
		return exemptLasts
	}
	return reservationLasts
}

func podReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
