// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestKillBeforeGiveBack stops the server where a deletion is stored and the node
// has not been given back yet.
func TestKillBeforeGiveBack(t *testing.T) {
	pool := env.Current(t).NewPool(t, 2)
	pool.Run(t, pool.Cluster.Workload(pool.Name).Deployment("web", 4, pool.Selector()))
	keepServer(t)
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)

	allow := forbidNodePatches(t)
	requestDeletion(t, pool, hold.Name)
	kill(t)
	if node := pool.Node(t, pool.Nodes[0]); !cordoned(node) {
		t.Fatalf("the node was to be cordoned still, and carries only %q", marksOn(node))
	}
	start(t)
	pool.WaitForHold(t, hold.Name, "the hold stays while the node cannot be given back", func(nm *v1beta1.NodeMaintenance) bool {
		return !nm.DeletionTimestamp.IsZero() && len(nm.Finalizers) > 0
	})
	allow()
	wantGone(t, pool, hold.Name)
	wantClean(t, pool)
}

// TestKillAfterDelete kills the server as soon as a deletion was accepted, or a
// little later, in the middle of a drain that goes on until then.
func TestKillAfterDelete(t *testing.T) {
	delays := []time.Duration{0, 10 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond}
	pool := env.Current(t).NewPool(t, len(delays))
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Deployment("guarded", 2*len(delays), pool.Selector()).
		Budget("guarded", localcluster.MaxUnavailable("0")))
	keepServer(t)
	for i, delay := range delays {
		blocked := len(podsOf(t, pool, pool.Nodes[i], "guarded"))
		hold := pool.Create(t, pool.Hold(fmt.Sprint(i), pool.Nodes[i]))
		pool.WaitForHold(t, hold.Name, "the drain is blocked", blockedOn(blocked))
		requestDeletion(t, pool, hold.Name)
		time.Sleep(delay)
		kill(t)
		t.Logf("killed %s after the deletion was accepted; on the node: %q", delay, marksOn(pool.Node(t, pool.Nodes[i])))
		start(t)
		wantGone(t, pool, hold.Name)
	}
	wantClean(t, pool)
	if counts := evictions(t, pool); len(counts) > 0 {
		t.Errorf("pods were evicted past their budget: %v", counts)
	}
}

// requestDeletion deletes a hold without waiting for its end.
func requestDeletion(t *testing.T, pool *env.Pool, name string) {
	t.Helper()
	err := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances().Delete(t.Context(), name, metav1.DeleteOptions{})
	if err != nil {
		t.Fatalf("could not delete NodeMaintenance %s: %v", name, err)
	}
}

// wantGone waits until a hold has ended.
func wantGone(t *testing.T, pool *env.Pool, name string) {
	t.Helper()
	env.Eventually(t, "deleted hold "+name+" goes", func(ctx context.Context) string {
		nm, err := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return ""
		case err != nil:
			return err.Error()
		default:
			return fmt.Sprintf("finalizers %v, status %+v", nm.Finalizers, nm.Status)
		}
	})
}
