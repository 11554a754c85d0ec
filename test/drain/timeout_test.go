// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// blockedPod runs a pod on a node that a budget keeps there until it is deleted.
func (p *pool) blockedPod(t *testing.T, name, node string) {
	t.Helper()
	p.Run(t, p.workload().Pod(name, localcluster.OnNode(node)).Budget(name, localcluster.MinAvailable("1")))
}

// Not parallel: it measures time.
func TestTimedTimeoutIsReportedAndEvictionsGoOn(t *testing.T) {
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.blockedPod(t, "kept", node)
	hold := p.Hold("a", node)
	hold.Spec.Drain.TimeoutSeconds = new(int64(3))
	p.Create(t, hold)

	failed := p.WaitForHold(t, hold.Name, "deadline exceeded", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.Phase == v1beta1.PhaseFailed
	})
	if c := condition(failed, v1beta1.ConditionDrained); c.Reason != v1beta1.ReasonDeadlineExceeded || c.Status != "False" {
		t.Errorf("Drained is %s for %s, want False for DeadlineExceeded", c.Status, c.Reason)
	}
	wantDeadline(t, failed, 3*time.Second)
	if late := failed.Status.LastUpdate.Sub(failed.Status.Deadline.Time); late > 3*time.Second {
		t.Errorf("the timeout was reported %s late", late)
	}
	p.waitForEvent(t, kindHold, hold.Name, "DrainTimedOut", hold.Name, "evictions go on")

	p.deleteBudget(t, "kept")
	done := p.WaitForHold(t, hold.Name, "node drained after all", succeeded)
	if !done.Status.StartTime.Equal(failed.Status.StartTime) {
		t.Error("the drain started anew after its deadline")
	}
}

func TestDeadlineFollowsTheTimeout(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.blockedPod(t, "kept", node)
	hold := p.Hold("a", node)
	hold.Spec.Drain.TimeoutSeconds = new(int64(3600))
	p.Create(t, hold)
	upToDate := func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.ObservedGeneration == nm.Generation && nm.Status.PendingPodCount == 1
	}
	first := p.WaitForHold(t, hold.Name, "drain begun", upToDate)
	wantDeadline(t, first, time.Hour)

	p.patch(t, hold.Name, `{"spec":{"drain":{"timeoutSeconds":7200}}}`)
	second := p.WaitForHold(t, hold.Name, "longer timeout seen", upToDate)
	wantDeadline(t, second, 2*time.Hour)
	if !second.Status.StartTime.Equal(first.Status.StartTime) {
		t.Error("another timeout changed the start of the drain")
	}

	p.patch(t, hold.Name, `{"spec":{"drain":{"timeoutSeconds":1}}}`)
	p.WaitForHold(t, hold.Name, "timeout that is over already", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.Phase == v1beta1.PhaseFailed
	})
	p.patch(t, hold.Name, `{"spec":{"drain":{"timeoutSeconds":null}}}`)
	third := p.WaitForHold(t, hold.Name, "no timeout seen", upToDate)
	if third.Status.Deadline != nil || third.Status.Phase != v1beta1.PhaseRunning {
		t.Errorf("without a timeout the deadline is %s and the phase %s, want none and Running", third.Status.Deadline, third.Status.Phase)
	}

	p.patch(t, hold.Name, `{"spec":{"stage":"Cordon","drain":{"timeoutSeconds":3600}}}`)
	p.WaitForHold(t, hold.Name, "start and deadline cleared in stage Cordon", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.Phase == v1beta1.PhaseSucceeded && nm.Status.StartTime == nil && nm.Status.Deadline == nil
	})
	moved := p.setStage(t, hold.Name, v1beta1.StageDrain)
	again := p.WaitForHold(t, hold.Name, "drain begun again", upToDate)
	wantDeadline(t, again, time.Hour)
	if again.Status.StartTime.Before(first.Status.StartTime) || moved.Status.StartTime != nil {
		t.Error("the new drain has the start of the old one")
	}
}

// wantDeadline checks how long after its start a drain's deadline is.
func wantDeadline(t *testing.T, nm *v1beta1.NodeMaintenance, want time.Duration) {
	t.Helper()
	if nm.Status.StartTime == nil || nm.Status.Deadline == nil {
		t.Fatalf("started %s with deadline %s, want both", nm.Status.StartTime, nm.Status.Deadline)
	}
	if got := nm.Status.Deadline.Sub(nm.Status.StartTime.Time); got != want {
		t.Errorf("the deadline is %s after the start, want %s", got, want)
	}
}
