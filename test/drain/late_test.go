// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"fmt"
	"testing"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// Not parallel: it measures time.
func TestTimedEvictionOfPodBoundLate(t *testing.T) {
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.Run(t, p.workload().Pod("early", localcluster.OnNode(node)))
	hold := p.Hold("a", node)
	hold.Spec.Drain.TimeoutSeconds = new(int64(3600))
	p.Create(t, hold)
	first := p.WaitForHold(t, hold.Name, "node drained", succeeded)

	p.apply(t, p.workload().Pod("late", localcluster.OnNode(node)))
	p.waitForEvent(t, kindHold, first.Name, "DrainRestarted", node)
	second := p.WaitForHold(t, first.Name, "drained again", func(nm *v1beta1.NodeMaintenance) bool {
		return succeeded(nm) && nm.Status.DrainedTime.After(first.Status.DrainedTime.Time)
	})
	if !second.Status.StartTime.After(first.Status.StartTime.Time) || second.Status.EvictionPods != 1 {
		t.Errorf("status %+v, want that of a new drain of one pod", second.Status)
	}
	wantDeadline(t, second, time.Hour)
	wantRestartFromZero(t, p.statuses.of(t, second))
	if took := p.evicted(t)["late"].asked.Sub(p.boundAt(t, "late")); took > repairTime {
		t.Errorf("the pod was evicted after %s, want at most %s", took, repairTime)
	}
}

// wantRestartFromZero checks that a hold said that it drains again, and began to
// count anew.
func wantRestartFromZero(t *testing.T, versions []seenHold) {
	t.Helper()
	for i := 1; i < len(versions); i++ {
		if env.Drained(versions[i-1].NodeMaintenance) && !env.Drained(versions[i].NodeMaintenance) {
			if s := versions[i].Status; ptr.Deref(s.DrainProgress, 0) != 0 || s.Phase != v1beta1.PhaseRunning || s.DrainedTime != nil {
				t.Errorf("the new drain began with phase %s at %d%%, want Running at 0%%", s.Phase, ptr.Deref(s.DrainProgress, 0))
			}
			return
		}
	}
	t.Error("no status said that the node is drained again")
}

// boundAt is the time when a pod that names its own node was created.
func (p *pool) boundAt(t *testing.T, pod string) time.Time {
	t.Helper()
	found := p.audit(t, func(event *auditv1.Event) bool {
		ref := event.ObjectRef
		return ref != nil && ref.Resource == "pods" && ref.Subresource == "" && ref.Namespace == p.Name && ref.Name == pod &&
			event.User.Username == "admin"
	})
	if len(found) == 0 {
		t.Fatalf("nobody created pod %s", pod)
	}
	return found[0].StageTimestamp.Time
}

// Pods that come while a drain goes on belong to it, and do not turn its progress
// back.
func TestPodsThatArriveDuringADrain(t *testing.T) {
	t.Parallel()
	const free, late = 4, 6
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.blockedPod(t, "kept", node)
	first, second := p.workload(), p.workload()
	for i := range free {
		first.Pod(fmt.Sprintf("free-%d", i), localcluster.OnNode(node))
	}
	for i := range late {
		second.Pod(fmt.Sprintf("late-%d", i), localcluster.OnNode(node), localcluster.TerminationDelay(4*time.Second))
	}
	p.Run(t, first)
	hold := p.Create(t, p.Hold("a", node))
	before := p.WaitForHold(t, hold.Name, "only the blocked pod left", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.EvictionPods == free+1 && nm.Status.PendingPodCount == 1
	})

	p.apply(t, second)
	after := p.WaitForHold(t, hold.Name, "late pods counted", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.EvictionPods == free+1+late && nm.Status.PendingPodCount == late+1
	})
	if got, want := ptr.Deref(after.Status.DrainProgress, 0), ptr.Deref(before.Status.DrainProgress, 0); got != want {
		t.Errorf("progress is %d%%, want %d%% as before", got, want)
	}
	p.deleteBudget(t, "kept")
	p.WaitForHold(t, hold.Name, "node drained", succeeded)
}
