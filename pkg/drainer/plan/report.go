// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// Report is the plan as the API shows it to who has this hold, or thinks of creating it. It has all pods of
// the node, and lists what is lost of those that this hold drains, and what becomes of them as predicted.
func (p Plan) Report(of types.UID, predicted Predictions) *v1beta1.DrainPlanStatus {
	report := &v1beta1.DrainPlanStatus{Pods: make([]v1beta1.PlannedPod, 0, len(p.Pods))}
	for _, pod := range p.inOrder() {
		planned := pod.report()
		if pod.Action == v1beta1.PlanStay {
			report.StayingPods++
		} else {
			report.EvictionPods++
			planned.Budgets = plannedBudgets(p.budgets.Selecting(pod.Pod))
			planned.EvictingHolds, planned.BlockingHolds = pod.clash.report()
			countBlocker(report, pod.Blocker)
			if p.drains(of, pod) {
				listLosses(report, pod)
				p.listStuck(report, of, pod)
				predicted.list(report, &planned, pod)
			}
		}
		report.Pods = append(report.Pods, planned)
	}
	return report
}

func (p Pod) report() v1beta1.PlannedPod {
	planned := v1beta1.PlannedPod{
		Pod: key(p.Pod), Action: p.Action, Turn: int32(p.turn), Message: quote.Cut(p.message(), quote.MaxMessage),
	}
	if p.Action == v1beta1.PlanEvict || p.Action == v1beta1.PlanDelete {
		planned.GracePeriodSeconds = p.gracePeriod
		if planned.GracePeriodSeconds == nil {
			planned.GracePeriodSeconds = p.Pod.Spec.TerminationGracePeriodSeconds
		}
	}
	if p.Blocker != nil {
		blocker := quote.Blocker(*p.Blocker)
		planned.Blocker = &blocker
	}
	return planned
}

func plannedBudgets(budgets []*eviction.Budget) []v1beta1.PlannedBudget {
	var planned []v1beta1.PlannedBudget
	for _, b := range budgets {
		planned = append(planned, v1beta1.PlannedBudget{
			Name: b.Name.String(), DisruptionsAllowed: b.Allowed,
			CurrentHealthy: b.Healthy, DesiredHealthy: b.Desired, ExpectedPods: b.Expected,
		})
	}
	return planned
}

func countBlocker(report *v1beta1.DrainPlanStatus, blocker *v1beta1.DrainBlocker) {
	if blocker == nil {
		return
	}
	report.BlockedPodCount++
	if blocker.Permanent {
		report.PermanentlyBlockedPodCount++
	}
}

// listStuck lists the pod if it cannot leave for good, unless the hold deletes it after its deadline.
func (p Plan) listStuck(report *v1beta1.DrainPlanStatus, of types.UID, pod Pod) {
	if pod.Blocker == nil || !pod.Blocker.Permanent {
		return
	}
	if endsWithDelete(pod.Blocker.Reason) && p.byHold[of].hold.Spec.Drain.OnTimeout == v1beta1.OnTimeoutDelete {
		return
	}
	report.PermanentlyBlockedPods = append(report.PermanentlyBlockedPods, key(pod.Pod))
}

// endsWithDelete says whether the blocker does not hold up a pod that is deleted.
func endsWithDelete(reason v1beta1.BlockerReason) bool {
	switch reason {
	case v1beta1.BlockerDisruptionBudget, v1beta1.BlockerMultipleDisruptionBudgets, v1beta1.BlockerVirtualMachineNotMigratable:
		return true
	default:
		return false
	}
}

// listLosses lists the pod if its eviction loses something for good, the pod itself or its data, or
// overrides what the pod asks for.
func listLosses(report *v1beta1.DrainPlanStatus, pod Pod) {
	if !pod.loses() {
		return
	}
	list := func(pods *[]string, applies bool) {
		if applies {
			*pods = append(*pods, key(pod.Pod))
		}
	}
	list(&report.UnmanagedPods, unmanaged(pod.Pod))
	list(&report.EmptyDirPods, pod.losesEmptyDir())
	list(&report.DoNotDisruptPods, pod.ignored() != "")
	list(&report.MislabeledPods, mislabeled(pod.Pod))
}

// goingOrder is the order of the actions in a report. Pods of one action are in the order of their
// turns.
var goingOrder = []v1beta1.PlannedAction{
	v1beta1.PlanTerminating, v1beta1.PlanDelete, v1beta1.PlanEvict, v1beta1.PlanWaitCompleted, v1beta1.PlanBlock, v1beta1.PlanStay,
}

func (p Plan) inOrder() []Pod {
	return slices.SortedStableFunc(slices.Values(p.Pods), func(a, b Pod) int {
		return cmp.Or(cmp.Compare(slices.Index(goingOrder, a.Action), slices.Index(goingOrder, b.Action)), cmp.Compare(a.turn, b.turn))
	})
}
