// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Plan says what would become of the pods of the hold's node if the hold were there, beside the
// others that the node has; it changes nothing. The pods are as the API server knows them: of
// this moment if fresh, which may take a moment longer, else as its cache has them. The plan of
// a node that does not exist is empty. It fails while the drainer is not ready, and when the
// pods cannot be listed.
func (d *Drainer) Plan(ctx context.Context, maintenance *v1beta1.NodeMaintenance, fresh bool) (*v1beta1.DrainPlanStatus, error) {
	if err := d.Ready(); err != nil {
		return nil, err
	}
	node := d.caches.node(maintenance.Spec.NodeName)
	if node == nil {
		return &v1beta1.DrainPlanStatus{}, nil
	}
	pods, drainable, err := d.listPods(ctx, node.Name, fresh)
	if err != nil {
		return nil, fmt.Errorf("could not plan the drain of node %s: %w", node.Name, err)
	}
	sortPods(pods)
	others := slices.DeleteFunc(d.caches.holdsOn(node.Name), func(other *v1beta1.NodeMaintenance) bool {
		return other.Name == maintenance.Name
	})
	active, _ := newHolds(append(others, maintenance))
	for i, h := range active {
		active[i].expired = h.deletesAt(d.config.Clock.Now(), h.Status)
	}
	return makePlan(d.planInput(node, active, pods, drainable)).report(d.budgets), nil
}

// report is the plan as the API shows it.
func (p nodePlan) report(budgets budgetReader) *v1beta1.DrainPlanStatus {
	report := &v1beta1.DrainPlanStatus{Pods: make([]v1beta1.PlannedPod, 0, len(p.pods))}
	for _, pod := range p.inOrder() {
		planned := pod.report()
		if pod.action == v1beta1.PlanStay {
			report.StayingPods++
		} else {
			report.EvictionPods++
			planned.Budgets = plannedBudgets(budgets.of(pod.pod))
			countBlocker(report, pod.blocker)
			listLosses(report, pod)
		}
		report.Pods = append(report.Pods, planned)
	}
	return report
}

func (p podPlan) report() v1beta1.PlannedPod {
	planned := v1beta1.PlannedPod{Pod: podKey(p.pod), Action: p.action, Turn: int32(p.turn), Message: bounded(p.why, maxMessageBytes)}
	if p.action == v1beta1.PlanEvict || p.action == v1beta1.PlanDelete {
		planned.GracePeriodSeconds = p.gracePeriod
		if planned.GracePeriodSeconds == nil {
			planned.GracePeriodSeconds = p.pod.Spec.TerminationGracePeriodSeconds
		}
	}
	if p.blocker != nil {
		blocker := boundedBlocker(*p.blocker)
		planned.Blocker = &blocker
	}
	return planned
}

func plannedBudgets(budgets []*budget) []v1beta1.PlannedBudget {
	var planned []v1beta1.PlannedBudget
	for _, b := range budgets {
		planned = append(planned, v1beta1.PlannedBudget{
			Name: b.key.String(), DisruptionsAllowed: b.allowed,
			CurrentHealthy: b.healthy, DesiredHealthy: b.desired, ExpectedPods: b.expected,
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

// listLosses lists what is lost for good with a pod that is to be evicted.
func listLosses(report *v1beta1.DrainPlanStatus, pod podPlan) {
	if pod.action != v1beta1.PlanEvict || finished(pod.pod) {
		return
	}
	if unmanaged(pod.pod) {
		report.UnmanagedPods = append(report.UnmanagedPods, podKey(pod.pod))
	}
	if usesEmptyDir(pod.pod) {
		report.EmptyDirPods = append(report.EmptyDirPods, podKey(pod.pod))
	}
}

// goingOrder is the order in which the pods are to go, as far as their turns do not tell.
var goingOrder = []v1beta1.PlannedAction{
	v1beta1.PlanTerminating, v1beta1.PlanDelete, v1beta1.PlanEvict, v1beta1.PlanWaitCompleted, v1beta1.PlanBlock, v1beta1.PlanStay,
}

func (p nodePlan) inOrder() []podPlan {
	return slices.SortedStableFunc(slices.Values(p.pods), func(a, b podPlan) int {
		return cmp.Or(cmp.Compare(slices.Index(goingOrder, a.action), slices.Index(goingOrder, b.action)), cmp.Compare(a.turn, b.turn))
	})
}
