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
func (d *Drainer) Plan(ctx context.Context, maintenance *v1beta1.NodeMaintenance, fresh bool) (*v1beta1.DrainPlan, error) {
	if err := d.Ready(); err != nil {
		return nil, err
	}
	node := d.caches.node(maintenance.Spec.NodeName)
	if node == nil {
		return &v1beta1.DrainPlan{}, nil
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
	return makePlan(d.planInput(node, active, pods, drainable)).report(), nil
}

// report is the plan as the API shows it.
func (p nodePlan) report() *v1beta1.DrainPlan {
	report := &v1beta1.DrainPlan{Pods: make([]v1beta1.PlannedPod, 0, len(p.pods))}
	for _, pod := range p.inOrder() {
		key := podKey(pod.pod)
		planned := v1beta1.PlannedPod{
			Pod: key, Action: pod.action, Turn: int32(pod.turn), GracePeriodSeconds: pod.gracePeriod, Message: bounded(pod.why, maxMessageBytes),
		}
		if pod.blocker != nil {
			blocker := boundedBlocker(*pod.blocker)
			planned.Blocker = &blocker
		}
		report.Pods = append(report.Pods, planned)
		if pod.action == v1beta1.PlanStay {
			continue
		}
		report.EvictionPods++
		if pod.blocker != nil {
			report.BlockedPodCount++
		}
		if pod.action != v1beta1.PlanEvict || finished(pod.pod) {
			continue
		}
		if unmanaged(pod.pod) {
			report.UnmanagedPods = append(report.UnmanagedPods, key)
		}
		if usesEmptyDir(pod.pod) {
			report.EmptyDirPods = append(report.EmptyDirPods, key)
		}
	}
	return report
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
