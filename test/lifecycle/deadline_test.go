// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"testing"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestTimedDeadlineOutlivesKill kills the server before two deadlines and starts it
// between them: what is left is deleted at the first one late, and at the second
// neither early nor late.
func TestTimedDeadlineOutlivesKill(t *testing.T) {
	pool := env.Current(t).NewPool(t, 2)
	names, timeouts := []string{"soon", "later"}, []int64{6, 14}
	workload := pool.Cluster.Workload(pool.Name)
	for i, name := range names {
		workload.Pod(name, localcluster.OnNode(pool.Nodes[i])).Budget(name, localcluster.MinAvailable("1"))
	}
	pool.Run(t, workload)
	keepServer(t)
	before := make([]*v1beta1.NodeMaintenance, len(names))
	for i, name := range names {
		hold := pool.Hold(name, pool.Nodes[i])
		hold.Spec.Drain = v1beta1.DrainSpec{TimeoutSeconds: &timeouts[i], OnTimeout: v1beta1.OnTimeoutDelete}
		pool.Create(t, hold)
		before[i] = pool.WaitForHold(t, hold.Name, "the drain is blocked", blockedOn(1))
	}

	kill(t)
	env.Eventually(t, "the first deadline passes", func(context.Context) string {
		if left := time.Until(before[0].Status.Deadline.Time); left > 0 {
			return left.String() + " to go"
		}
		return ""
	})
	start(t)
	started := time.Now()
	for i, name := range names {
		after := pool.WaitForHold(t, before[i].Name, "node drained", env.Drained)
		wantSameDrain(t, before[i], after)
		due, at := before[i].Status.Deadline.Time, deletedAt(t, pool, name)
		if early := due.Sub(at); early > 0 {
			t.Errorf("pod %s was deleted %s before its deadline", name, early)
		}
		if due.Before(started) {
			due = started
		}
		if late := at.Sub(due); late > 3*time.Second {
			t.Errorf("pod %s was deleted %s late", name, late)
		}
	}
}

// deletedAt is the time when the server under test asked to delete a pod, which it must
// have done once.
func deletedAt(t *testing.T, pool *env.Pool, pod string) time.Time {
	t.Helper()
	const user = "system:serviceaccount:" + localcluster.ServerNamespace + ":" + localcluster.ServerName
	found, err := pool.Cluster.AuditEvents(pool.Name, func(event *auditv1.Event) bool {
		ref := event.ObjectRef
		return event.Verb == "delete" && event.User.Username == user && ref != nil && ref.Resource == "pods" && ref.Namespace == pool.Name && ref.Name == pod
	})
	if err != nil || len(found) != 1 {
		t.Fatalf("pod %s was deleted %d times, %v; want once", pod, len(found), err)
	}
	return found[0].RequestReceivedTimestamp.Time
}
