// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/replicas"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/returns"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/virtualmachine"
)

// decideAgain is how soon to plan again when a pod's namespace is not known yet.
const decideAgain = time.Second

// Input is all that a plan is made from.
type Input struct {
	// Node is the node's name.
	Node string
	// NodeDead says that the node is not ready: its kubelet may not stop pods, or not report it.
	NodeDead bool
	// NodeReadySince is the time since which the node is ready. A kubelet that has restarted since then starts the grace periods
	// of its pods anew.
	NodeReadySince time.Time
	// Pods are all pods of the node.
	Pods []*corev1.Pod
	// Drainable are the UIDs of the pods that a drain evicts, whatever the holds say.
	Drainable sets.Set[types.UID]
	// Holds are the NodeMaintenances that hold the node.
	Holds []Hold
	// Namespaces are the labels of the pods' namespaces, as far as they are known.
	Namespaces map[string]labels.Set
	// Budgets are the disruption budgets that may select the pods.
	Budgets eviction.Snapshot
	// Attempts are the evictions that were posted so far, by UID of the pod.
	Attempts map[types.UID]eviction.Attempt
	// Returns are the pods that came back to the cordoned node.
	Returns returns.Pods
	// Machines is what becomes of the virtual machines of the pods, as far as it is known.
	Machines virtualmachine.States
	// Cordon are the taints of the cordoned node.
	Cordon []corev1.Taint
	// Replicas are the pods that run this server.
	Replicas replicas.Facts
	// Forecast says that the plan is shown to somebody once, and not made again. A budget that is
	// impossible to meet then counts as permanent at once: no later plan could say so.
	Forecast bool
	// Now is the time.
	Now time.Time
}

// Pod is what is to happen with one pod, and what keeps that from happening.
type Pod struct {
	// Pod is the pod.
	Pod *corev1.Pod
	// Action is what happens with it.
	Action v1beta1.PlannedAction
	// Blocker is what keeps the pod from leaving, with all holds taken together; nil when nothing does.
	Blocker *v1beta1.DrainBlocker

	// index is its place in Input.Pods.
	index int
	// turn is the number of the turn in which the pod goes, from 1; 0 for pods that are not evicted.
	turn int
	// due says that its turn has come.
	due bool
	// held says that it came back, and waits for another of its controller, or for its time.
	held bool
	// waits says that it is not evicted yet, because of what a virtual machine is doing.
	waits bool
	// own says that it runs this server; kept says that it has to stay for now because of that.
	own, kept bool
	// machine is what becomes of its virtual machine; zero: it has none, or nothing is known.
	machine     virtualmachine.State
	gracePeriod *int64
	why         string
	// clash is set for pods that are evicted although a hold blocks them; else nil.
	clash *clash
	// heeded says that each hold that evicts the pod has a rule that asks for its annotations.
	heeded bool
}

// Plan is what is to happen with the pods of a node. Use Make.
type Plan struct {
	// Pods are in the order of the Input's.
	Pods []Pod
	// Recheck is the time when passing time alone may change the plan; zero when it cannot.
	Recheck time.Time
	// Chosen is of each controller whose pods came back the one that is evicted, by the controller's object.
	Chosen map[string]types.UID

	// drainable counts the pods that a drain evicts, whatever the holds say.
	drainable int
	// byHold is what each hold that drains does with each of the pods.
	byHold map[types.UID]*holdPlan
	// budgets are those of the Input.
	budgets eviction.Snapshot
	// awaitsReplica says that a pod that runs this server waits for another one.
	awaitsReplica bool
}

// planner makes one plan. It counts the room of each budget down: of several pods of one budget, only
// as many are free to go as the budget has room for.
type planner struct {
	Input
	byHold  map[types.UID]*holdPlan
	left    map[types.NamespacedName]int
	chosen  map[string]types.UID
	recheck time.Time
	// staying are the replicas of this server that serve, and go on to.
	staying sets.Set[types.UID]
	// othersLeave says that pods are to leave the node that do not run this server.
	othersLeave bool
	// awaitsReplica says that a pod that runs this server waits for another one.
	awaitsReplica bool
}

// Make decides what is to happen with each pod of the node.
func Make(in Input) Plan {
	p := &planner{
		Input: in, byHold: map[types.UID]*holdPlan{}, left: map[types.NamespacedName]int{}, chosen: map[string]types.UID{},
		staying: stayingReplicas(in),
	}
	for _, h := range in.Holds {
		if h.Drains() {
			p.byHold[h.UID] = newHoldPlan(in, h)
		}
	}
	plan := Plan{Pods: make([]Pod, len(in.Pods)), byHold: p.byHold, budgets: in.Budgets}
	for _, i := range p.order() {
		planned := p.decide(i, in.Pods[i])
		planned.index, planned.own = i, in.Replicas.Runs(in.Pods[i])
		p.othersLeave = p.othersLeave || (!planned.own && planned.Action != v1beta1.PlanStay)
		plan.Pods[i] = planned
		if in.Drainable.Has(planned.Pod.UID) {
			plan.drainable++
		}
	}
	plan.Recheck, plan.Chosen, plan.awaitsReplica = p.recheck, p.chosen, p.awaitsReplica
	plan.awaitLaunchers()
	return plan
}

// terminating decides about a pod whose removal was asked for already: it is removed at once when a hold wants that.
func (p *planner) terminating(going Pod, u union, tried eviction.Attempt) Pod {
	removal := p.removal(going.Pod, u)
	if !removal.IsZero() && !p.Now.Before(removal) {
		going.Action, going.gracePeriod, going.why = v1beta1.PlanDelete, new(int64), "it is terminating for too long, so it is removed at once"
		going.Blocker = attemptBlocker(going.Pod, tried)
		return going
	}
	going.Action, going.Blocker = v1beta1.PlanTerminating, cmp.Or(p.overdue(going.Pod, tried, removal), p.leaving(going.Pod))
	return going
}

// decide takes the union of what the holds want: the pod goes when one of them would evict it
// now.
func (p *planner) decide(i int, pod *corev1.Pod) Pod {
	if !p.Drainable.Has(pod.UID) {
		return Pod{Pod: pod, Action: v1beta1.PlanStay, why: whyNotDrainable(pod)}
	}
	u := p.union(i)
	if !u.goes {
		return Pod{Pod: pod, Action: v1beta1.PlanStay, why: cmp.Or(u.why, "no hold of the node has the stage Drain")}
	}
	tried := p.Attempts[pod.UID]
	going := Pod{Pod: pod}
	if !pod.DeletionTimestamp.IsZero() || !tried.Evicted.IsZero() {
		return p.terminating(going, u, tried)
	}
	if u.undecided {
		p.recheckAt(p.Now.Add(decideAgain))
	}
	going.Action, going.turn, going.due, going.gracePeriod, going.why = u.action, u.turn, u.due, u.gracePeriod, u.why
	going.heeded = !u.unheeded
	if u.blocked && removes(u.action) {
		going.clash = p.clash(i)
	}
	if p.Replicas.Runs(pod) {
		if p.keep(&going); going.kept {
			return going
		}
	}
	going.machine = p.machine(going)
	going.held = p.holds(going)
	p.leaves(going)
	switch {
	case u.action == v1beta1.PlanBlock, u.action == v1beta1.PlanWaitCompleted:
		going.Blocker = u.blocker
	case going.held:
		going.Blocker = p.heldBlocker(going, tried)
	case u.action == v1beta1.PlanDelete:
		going.gracePeriod = deletionGrace(pod, u.gracePeriod)
		going.Blocker = cmp.Or(attemptBlocker(pod, tried), p.again(pod))
	case going.due:
		blocker := p.blocker(going, tried) // takes the room of the budget
		going.Blocker = cmp.Or(blocker, p.again(pod))
	}
	return going
}

// Evictions are the pods that are to be evicted or deleted now, in the order in which they are to
// go.
func (p Plan) Evictions() []eviction.Eviction {
	var now []Pod
	for _, pod := range p.Pods {
		if pod.wanted() {
			now = append(now, pod)
		}
	}
	slices.SortStableFunc(now, func(a, b Pod) int { return cmp.Compare(a.turn, b.turn) })
	evictions := make([]eviction.Eviction, 0, len(now))
	for _, pod := range now {
		evictions = append(evictions, eviction.Eviction{
			Pod: pod.Pod, GracePeriodSeconds: pod.gracePeriod, Force: pod.Action == v1beta1.PlanDelete,
			Asks: pod.asks(),
		})
	}
	return evictions
}

// wanted says whether the eviction of the pod is wanted now.
func (p Pod) wanted() bool {
	return p.goesNow() && !p.held && !p.waits && !p.kept && !p.machine.Pointless()
}

// goesNow says whether the pod is to be evicted or deleted now, unless it is held.
func (p Pod) goesNow() bool {
	return p.Action == v1beta1.PlanDelete || (p.Action == v1beta1.PlanEvict && p.due)
}

// ToGo counts the pods that are still to be evicted, without those that are blocked for good. It says
// how far the node is from being empty.
func (p Plan) ToGo() int {
	count := 0
	for _, pod := range p.Pods {
		if pod.Action == v1beta1.PlanEvict && (pod.Blocker == nil || !pod.Blocker.Permanent) {
			count++
		}
	}
	return count
}

// Moves says whether a pod of the node is still to leave.
func (p Plan) Moves() bool {
	return slices.ContainsFunc(p.Pods, func(pod Pod) bool { return pod.Action != v1beta1.PlanStay })
}

// Blocked counts the pods that something keeps from leaving, by what it is.
func (p Plan) Blocked() map[v1beta1.BlockerReason]int {
	blocked := map[v1beta1.BlockerReason]int{}
	for _, pod := range p.Pods {
		if pod.Blocker != nil {
			blocked[pod.Blocker.Reason]++
		}
	}
	return blocked
}
