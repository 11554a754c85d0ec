// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// decideAgain is when to look again at a pod of which not everything is known.
const decideAgain = time.Second

// planInput is all that a plan is made from.
type planInput struct {
	node string
	// nodeDead says that the node's kubelet does not report: its pods do not end.
	nodeDead bool
	// pods are all pods of the node.
	pods []*corev1.Pod
	// drainable are the pods that a drain evicts, whatever the holds say.
	drainable  sets.Set[types.UID]
	holds      []hold
	namespaces namespaceReader
	budgets    budgetReader
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
	pod    *corev1.Pod
	action v1beta1.PlannedAction
	// turn is in which of the drain's turns the pod goes, from 1; 0 for pods that are not evicted.
	turn int
	// due says that its turn has come.
	due         bool
	gracePeriod *int64
	why         string
	// blocker is what keeps the pod from leaving whichever hold wants it gone; nil when nothing does.
	blocker *v1beta1.DrainBlocker
}

// nodePlan is the plan for all pods of a node.
type nodePlan struct {
	pods []podPlan
	// byHold is what each hold that drains does with each of the pods.
	byHold map[types.UID]*holdPlan
	// recheck is when passing time alone may change the plan; zero when it cannot.
	recheck time.Time
}

// planner makes one plan. It counts the room of each budget down, so that of several pods of
// one budget only as many are free to go as the budget lets go together.
type planner struct {
	planInput
	byHold  map[types.UID]*holdPlan
	left    map[types.NamespacedName]int
	recheck time.Time
}

// makePlan decides what is to happen with each pod of the node. It is a pure function of its
// input: what is shown as the plan is what the engine does.
func makePlan(in planInput) nodePlan {
	p := &planner{planInput: in, byHold: map[types.UID]*holdPlan{}, left: map[types.NamespacedName]int{}}
	for _, h := range in.holds {
		if h.Spec.Stage == v1beta1.StageDrain {
			p.byHold[h.UID] = newHoldPlan(in, h)
		}
	}
	plan := nodePlan{pods: make([]podPlan, 0, len(in.pods)), byHold: p.byHold}
	for i, pod := range in.pods {
		plan.pods = append(plan.pods, p.decide(i, pod))
	}
	plan.recheck = p.recheck
	return plan
}

// decide takes the union of what the holds want: the pod goes when one of them would evict it
// now.
func (p *planner) decide(i int, pod *corev1.Pod) podPlan {
	if !p.drainable.Has(pod.UID) {
		return podPlan{pod: pod, action: v1beta1.PlanStay, why: whyNotDrainable(pod)}
	}
	u := p.union(i)
	if !u.goes {
		return podPlan{pod: pod, action: v1beta1.PlanStay, why: u.why}
	}
	tried := p.attempts[pod.UID]
	if !pod.DeletionTimestamp.IsZero() || !tried.evicted.IsZero() {
		return podPlan{pod: pod, action: v1beta1.PlanTerminating, blocker: p.overdue(pod, tried)}
	}
	if isOwnPod(p.ownPod, pod) {
		return podPlan{pod: pod, action: v1beta1.PlanBlock, blocker: ownPodBlocker(pod)}
	}
	plan := podPlan{pod: pod, action: u.action, turn: u.turn, due: u.due, gracePeriod: u.gracePeriod, why: u.why}
	if u.undecided {
		p.recheckAt(p.now.Add(decideAgain))
	}
	switch {
	case plan.action == v1beta1.PlanBlock, plan.action == v1beta1.PlanWaitCompleted:
		plan.blocker = u.blocker
	case plan.action == v1beta1.PlanDelete:
		plan.gracePeriod = deletionGrace(pod, u.gracePeriod)
		plan.blocker = attemptBlocker(pod, tried)
	case plan.due:
		plan.blocker = p.blocker(pod, tried)
	}
	return plan
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

func isOwnPod(own types.NamespacedName, pod *corev1.Pod) bool {
	return own == types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
}

// evictions are the pods that the dispatcher is to evict or delete now, in the order in which
// they are to go.
func (p nodePlan) evictions() []eviction {
	var due []podPlan
	for _, pod := range p.pods {
		if pod.action == v1beta1.PlanDelete || (pod.action == v1beta1.PlanEvict && pod.due) {
			due = append(due, pod)
		}
	}
	slices.SortStableFunc(due, func(a, b podPlan) int { return cmp.Compare(a.turn, b.turn) })
	evictions := make([]eviction, 0, len(due))
	for _, pod := range due {
		evictions = append(evictions, eviction{pod: pod.pod, gracePeriod: pod.gracePeriod, force: pod.action == v1beta1.PlanDelete})
	}
	return evictions
}

// toGo counts the pods that are still to be evicted and that nothing blocks for good: how far
// the node is from being empty.
func (p nodePlan) toGo() int {
	count := 0
	for _, pod := range p.pods {
		if pod.action == v1beta1.PlanEvict && (pod.blocker == nil || !pod.blocker.Permanent) {
			count++
		}
	}
	return count
}
