// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// quiet is how long nothing must happen until a test believes that nothing will.
const quiet = 2 * time.Second

func TestStagesIdleAndCordon(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.Run(t, p.workload().Pod("bare", localcluster.OnNode(node)))
	hold := p.Hold("a", node)
	hold.Spec.Stage = v1beta1.StageIdle
	p.Create(t, hold)
	p.waitForStage(t, hold.Name, v1beta1.PhasePending, v1beta1.ReasonStageIdle)
	p.wantGivenBack(t, node)

	p.setStage(t, hold.Name, v1beta1.StageCordon)
	cordoned := p.waitForStage(t, hold.Name, v1beta1.PhaseSucceeded, v1beta1.ReasonStageCordon)
	if s := cordoned.Status; s.StartTime != nil || s.Deadline != nil || s.NodeBefore == nil {
		t.Errorf("started %s, deadline %s, nodeBefore %v; want only nodeBefore", s.StartTime, s.Deadline, s.NodeBefore)
	}
	p.wantHeld(t, node)
	p.waitForNodeConditions(t, node, map[corev1.NodeConditionType]corev1.ConditionStatus{
		corev1.NodeMaintenanceInProgress: corev1.ConditionTrue,
	})

	p.setStage(t, hold.Name, v1beta1.StageIdle)
	p.waitForStage(t, hold.Name, v1beta1.PhasePending, v1beta1.ReasonStageIdle)
	p.wantGivenBack(t, node)
	p.waitForNodeConditions(t, node, nil)
	env.Always(t, quiet, "idle node is left alone", func(ctx context.Context) string {
		if p.apps(t, node)["bare"] != 1 || p.Node(t, node).Spec.Unschedulable {
			return "it was cordoned or drained"
		}
		return ""
	})

	p.setStage(t, hold.Name, v1beta1.StageDrain)
	p.WaitForHold(t, hold.Name, "node drained", succeeded)
	p.wantHeld(t, node)
	p.setStage(t, hold.Name, v1beta1.StageIdle)
	p.waitForStage(t, hold.Name, v1beta1.PhasePending, v1beta1.ReasonStageIdle)
	p.wantGivenBack(t, node)
}

// waitForStage waits until a hold says that it does not drain, and why.
func (p *pool) waitForStage(t *testing.T, hold string, phase v1beta1.MaintenancePhase, reason string) *v1beta1.NodeMaintenance {
	t.Helper()
	return p.WaitForHold(t, hold, reason, func(nm *v1beta1.NodeMaintenance) bool {
		drained := condition(nm, v1beta1.ConditionDrained)
		return nm.Status.ObservedGeneration == nm.Generation && nm.Status.Phase == phase &&
			drained.Status == "False" && drained.Reason == reason
	})
}

// Not parallel: it measures time.
func TestTimedMoveBackToCordon(t *testing.T) {
	p := newPool(t, 2)
	node := p.Nodes[0]
	p.runOn(t, node, p.rolling(10))
	hold := p.Create(t, p.Hold("a", node))
	p.waitForEvictions(t, 3)

	p.setStage(t, hold.Name, v1beta1.StageCordon)
	p.waitForStage(t, hold.Name, v1beta1.PhaseSucceeded, v1beta1.ReasonStageCordon)
	p.waitForRoom(t, "web") // so that evictions could go on
	env.Always(t, quiet, "node is not drained in stage Cordon", func(context.Context) string {
		if p.apps(t, node)["web"] == 0 || !p.Node(t, node).Spec.Unschedulable {
			return "it is empty, or not cordoned"
		}
		return ""
	})
	p.wantNoEvictionsAfter(t, p.patchedAt(t, hold.Name), time.Second)

	p.setStage(t, hold.Name, v1beta1.StageDrain)
	p.WaitForHold(t, hold.Name, "drain gone on", succeeded)
	p.wantApps(t, node, map[string]int{})
}

func TestHighestStageOfSeveralHoldsCounts(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.Run(t, p.workload().Pod("bare", localcluster.OnNode(node)))
	cordon := p.Hold("cordon", node)
	cordon.Spec.Stage = v1beta1.StageCordon
	p.Create(t, cordon)
	p.waitForStage(t, cordon.Name, v1beta1.PhaseSucceeded, v1beta1.ReasonStageCordon)

	drain := p.drain(t, "drain", node)
	p.wantApps(t, node, map[string]int{})
	p.waitForStage(t, cordon.Name, v1beta1.PhaseSucceeded, v1beta1.ReasonStageCordon)

	p.Delete(t, drain.Name)
	p.wantHeld(t, node)
	p.waitForNodeConditions(t, node, map[corev1.NodeConditionType]corev1.ConditionStatus{
		corev1.NodeMaintenanceInProgress: corev1.ConditionTrue,
	})
	p.Delete(t, cordon.Name)
	p.wantGivenBack(t, node)
}

// staysOn checks that a pod that could be evicted is not.
func (p *pool) staysOn(t *testing.T, node, app string) {
	t.Helper()
	env.Always(t, quiet, "pod "+app+" stays", func(context.Context) string {
		if p.apps(t, node)[app] == 0 {
			return "it went"
		}
		return ""
	})
}
