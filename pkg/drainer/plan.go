// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// action is what the plan does with a pod.
type action string

const (
	// actionStay: no hold wants the pod gone, or no drain evicts such a pod.
	actionStay action = "Stay"
	// actionEvict: the pod is to be evicted as soon as the API server would let it go.
	actionEvict action = "Evict"
	// actionWait: the pod is on its way out.
	actionWait action = "Wait"
	// actionBlocked: the pod is to go, but never by the engine's doing.
	actionBlocked action = "Blocked"
)

// planInput is all that a plan is made from.
type planInput struct {
	node string
	// nodeDead says that the node's kubelet does not report: its pods do not end.
	nodeDead bool
	// pods are all pods of the node, in the order in which they are to go.
	pods []*corev1.Pod
	// drainable are the pods that a drain evicts, whatever the holds say.
	drainable sets.Set[types.UID]
	holds     []hold
	budgets   budgetReader
	// attempts are the evictions posted so far.
	attempts map[types.UID]attempt
	ownPod   types.NamespacedName
	now      time.Time
}

// budgetReader answers what the plan and the dispatcher ask about disruption budgets.
type budgetReader interface {
	of(pod *corev1.Pod) []*budget
	room(of *budget, now time.Time) int
}

// podPlan is what is to happen with one pod, and why it does not.
type podPlan struct {
	pod         *corev1.Pod
	action      action
	gracePeriod *int64
	// blocker is nil when nothing is in the way.
	blocker *v1beta1.DrainBlocker
}

// nodePlan is the plan for all pods of a node, in the order in which they are to go.
type nodePlan struct {
	pods []podPlan
	// recheck is when passing time alone may change the plan; zero when it cannot.
	recheck time.Time
}

// planner makes one plan. It counts the room of each budget down, so that of several pods of
// one budget only as many are free to go as the budget lets go together.
type planner struct {
	planInput
	left    map[types.NamespacedName]int
	recheck time.Time
}

// makePlan decides what is to happen with each pod of the node. It is a pure function of its
// input: what is shown as the plan is what the engine does.
func makePlan(in planInput) nodePlan {
	p := &planner{planInput: in, left: map[types.NamespacedName]int{}}
	plan := nodePlan{pods: make([]podPlan, 0, len(in.pods))}
	for _, pod := range in.pods {
		plan.pods = append(plan.pods, p.decide(pod))
	}
	plan.recheck = p.recheck
	return plan
}

func (p *planner) decide(pod *corev1.Pod) podPlan {
	if !p.drainable.Has(pod.UID) || !anyDrains(p.holds, pod) {
		return podPlan{pod: pod, action: actionStay}
	}
	tried := p.attempts[pod.UID]
	if !pod.DeletionTimestamp.IsZero() || !tried.evicted.IsZero() {
		return podPlan{pod: pod, action: actionWait, blocker: p.overdue(pod, tried)}
	}
	if p.ownPod == (types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}) {
		return podPlan{pod: pod, action: actionBlocked, blocker: ownPodBlocker(pod)}
	}
	return podPlan{pod: pod, action: actionEvict, gracePeriod: gracePeriod(p.holds, pod), blocker: p.blocker(pod, tried)}
}

// blocker says what keeps a pod that is to be evicted from being evicted now.
func (p *planner) blocker(pod *corev1.Pod, tried attempt) *v1beta1.DrainBlocker {
	permit := permitFor(pod, p.budgets.of(pod), p.room)
	switch {
	case permit.allowed:
		if permit.takes != nil {
			p.left[permit.takes.key]--
		}
		return attemptBlocker(pod, tried)
	case len(permit.blockedBy) > 1:
		return budgetsBlocker(pod, permit.blockedBy)
	default:
		only := permit.blockedBy[0]
		permanent, recheck := only.permanent(p.now)
		p.recheckAt(recheck)
		return budgetBlocker(pod, only, permanent)
	}
}

func (p *planner) room(of *budget) int {
	left, counted := p.left[of.key]
	if !counted {
		left = p.budgets.room(of, p.now)
		p.left[of.key] = left
	}
	return left
}

// overdue is the blocker of a pod that was evicted and should be gone by now.
func (p *planner) overdue(pod *corev1.Pod, tried attempt) *v1beta1.DrainBlocker {
	due := tried.evicted.Add(deletionLag)
	if !pod.DeletionTimestamp.IsZero() {
		due = pod.DeletionTimestamp.Add(terminationLag)
	}
	if p.now.Before(due) {
		p.recheckAt(due)
		return nil
	}
	return terminatingBlocker(pod, p.node, p.nodeDead)
}

func (p *planner) recheckAt(when time.Time) { p.recheck = earlier(p.recheck, when) }

// earlier is the earlier of two instants; zero means never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

// evictions are the pods that the dispatcher is to evict.
func (p nodePlan) evictions() []eviction {
	var evictions []eviction
	for _, pod := range p.pods {
		if pod.action == actionEvict {
			evictions = append(evictions, eviction{pod: pod.pod, gracePeriod: pod.gracePeriod})
		}
	}
	return evictions
}
