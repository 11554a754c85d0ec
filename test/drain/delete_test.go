// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// deleteTime is how long it may take until a deleted hold is gone.
const deleteTime = 2 * time.Second

// deleteInTime deletes a hold, which must be gone soon.
func (p *pool) deleteInTime(t *testing.T, hold string) {
	t.Helper()
	start := time.Now()
	p.Delete(t, hold)
	if took := time.Since(start); took > deleteTime {
		t.Errorf("the hold was gone after %s, want at most %s", took, deleteTime)
	}
}

// Not parallel: it measures time.
func TestTimedDeleteDuringDrain(t *testing.T) {
	p := newPool(t, 2)
	node := p.Nodes[0]
	p.runOn(t, node, p.rolling(10))
	hold := p.Create(t, p.Hold("a", node))
	p.waitForEvictions(t, 3)

	p.deleteInTime(t, hold.Name)
	p.wantGivenBack(t, node)
	p.waitForRoom(t, "web") // so that evictions could go on
	p.staysOn(t, node, "web")
	p.wantNoEvictionsAfter(t, p.lastRequest(t, "delete", hold.Name), time.Second)
}

// Not parallel: it measures time.
func TestTimedDeleteDuringBlockedDrain(t *testing.T) {
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.blockedPod(t, "kept", node)
	hold := p.Create(t, p.Hold("a", node))
	p.WaitForHold(t, hold.Name, "drain blocked", func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.BlockedPodCount == 1 })

	p.deleteInTime(t, hold.Name)
	p.wantGivenBack(t, node)
	p.deleteBudget(t, "kept")
	p.staysOn(t, node, "kept")
	if evictions := p.evictions(t); len(evictions) > 0 {
		t.Errorf("%d evictions were posted, want none", len(evictions))
	}
}

// Not parallel: it measures time.
func TestTimedDeleteWhilePodsTerminate(t *testing.T) {
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.Run(t, p.workload().Pod("slow", localcluster.OnNode(node), localcluster.TerminationDelay(20*time.Second)))
	hold := p.Create(t, p.Hold("a", node))
	p.waitForEvictions(t, 1)

	p.deleteInTime(t, hold.Name)
	p.wantGivenBack(t, node)
	if pod, err := p.pod(t.Context(), "slow"); err != nil || pod.DeletionTimestamp.IsZero() {
		t.Errorf("the pod is not terminating any more (%v), so that the hold may have waited for it", err)
	}
}
