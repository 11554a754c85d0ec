// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// One hold ends while the next one is created: the node may or may not have been
// given back in between, and the next one must not take our own cordon for what
// the node was like before.
func TestHandOverKeepsWhatTheNodeWasLike(t *testing.T) {
	t.Parallel()
	const rounds = 12
	p := newPool(t, 1)
	node := p.Nodes[0]
	last := p.drain(t, "0", node)
	for i := 1; i <= rounds; i++ {
		p.startDelete(t, last.Name)
		next := p.Create(t, p.Hold(fmt.Sprint(i), node))
		last = p.WaitForHold(t, next.Name, "node taken over", succeeded)
		p.wantHeld(t, node)
		if before := last.Status.NodeBefore; before == nil || before.Unschedulable || len(before.Taints) > 0 || len(before.Labels) > 0 {
			t.Fatalf("round %d: nodeBefore is %+v, want that of a node that nobody held", i, before)
		}
	}
	p.waitForHolds(t, node, 1)
	p.Delete(t, last.Name)
	p.wantGivenBack(t, node)
}

func TestHoldsThatEndTogether(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	for range 4 {
		var holds []string
		for i := range 4 {
			holds = append(holds, p.Create(t, p.Hold(fmt.Sprint(i), node)).Name)
		}
		for _, hold := range holds {
			p.WaitForHold(t, hold, "node drained", succeeded)
		}
		for _, hold := range holds {
			p.startDelete(t, hold)
		}
		p.waitForHolds(t, node, 0)
		p.wantGivenBack(t, node)
	}
}

// startDelete deletes a hold and does not wait until it is gone.
func (p *pool) startDelete(t *testing.T, hold string) {
	t.Helper()
	if err := p.Maintenance.MaintenanceV1beta1().NodeMaintenances().Delete(t.Context(), hold, metav1.DeleteOptions{}); err != nil {
		t.Fatalf("could not delete NodeMaintenance %s: %v", hold, err)
	}
}

// waitForHolds waits until so many holds of a node are left.
func (p *pool) waitForHolds(t *testing.T, node string, want int) {
	t.Helper()
	env.Eventually(t, fmt.Sprintf("%d holds on node %s", want, node), func(ctx context.Context) string {
		list, err := p.Maintenance.MaintenanceV1beta1().NodeMaintenances().List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
		if err != nil {
			return err.Error()
		}
		if len(list.Items) != want {
			return fmt.Sprintf("there are %d", len(list.Items))
		}
		return ""
	})
}

// The stage is moved faster than the engine follows; what counts is where it
// ends. The checks at the end of every test see to what was said on the way.
func TestRestlessStage(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2)
	node := p.Nodes[0]
	p.runOn(t, node, p.rolling(6))
	hold := p.Create(t, p.Hold("a", node))
	stages := []v1beta1.MaintenanceStage{v1beta1.StageCordon, v1beta1.StageDrain, v1beta1.StageIdle, v1beta1.StageDrain, v1beta1.StageIdle, v1beta1.StageCordon}
	for i := range 24 {
		p.setStage(t, hold.Name, stages[i%len(stages)])
	}
	p.waitForStage(t, hold.Name, v1beta1.PhaseSucceeded, v1beta1.ReasonStageCordon)
	p.wantHeld(t, node)
	p.setStage(t, hold.Name, v1beta1.StageDrain)
	p.WaitForHold(t, hold.Name, "node drained", succeeded)
	p.wantApps(t, node, map[string]int{})
	p.Delete(t, hold.Name)
	p.wantGivenBack(t, node)
}

func TestListsInStatusAreCapped(t *testing.T) {
	t.Parallel()
	const pods = 110
	p := newPool(t, 1)
	node := p.Nodes[0]
	workload := p.workload().Budget("kept", localcluster.MinAvailable(fmt.Sprint(pods)))
	for i := range pods {
		workload.Pod(fmt.Sprintf("kept-%d", i), localcluster.OnNode(node), localcluster.Label(localcluster.AppLabel, "kept"))
	}
	p.Run(t, workload)
	hold := p.Create(t, p.Hold("a", node))
	blocked := p.WaitForHold(t, hold.Name, "drain blocked", func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.BlockedPodCount == pods })
	if s := blocked.Status; len(s.PendingPods) != 100 || s.PendingPodCount != pods || len(s.Blockers) != 20 {
		t.Errorf("%d of %d pending pods and %d blockers are listed, want 100 of %d and 20", len(s.PendingPods), s.PendingPodCount, len(s.Blockers), pods)
	}
	obstacle{column: fmt.Sprintf("PodDisruptionBudget NS/kept (%d pods)", pods)}.checkTerminal(t, p, hold.Name)
	p.Delete(t, hold.Name)
	if err := p.Kube.CoreV1().Pods(p.Name).DeleteCollection(t.Context(), metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
}
