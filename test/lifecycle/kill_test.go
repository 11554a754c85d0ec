// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// keepFinalizer keeps deleted pods.
const keepFinalizer = "example.com/keep"

// TestKillBeforeCordon stops the server where it has written down what the node
// was like and has not touched it yet.
func TestKillBeforeCordon(t *testing.T) {
	pool := env.Current(t).NewPool(t, 2)
	pool.Run(t, pool.Cluster.Workload(pool.Name).Deployment("web", 4, pool.Selector()))
	pods := podsOf(t, pool, pool.Nodes[0], "web")

	allow := forbidNodePatches(t)
	keepServer(t)
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "the cordon fails", func(nm *v1beta1.NodeMaintenance) bool {
		cordoned := apimeta.FindStatusCondition(nm.Status.Conditions, v1beta1.ConditionCordoned)
		return nm.Status.NodeBefore != nil && cordoned != nil && cordoned.Reason == v1beta1.ReasonCordonFailed
	})
	kill(t)
	if marks := marksOn(pool.Node(t, pool.Nodes[0])); marks != "" {
		t.Fatalf("the node was to be untouched, and carries %s", marks)
	}

	allow()
	start(t)
	pool.WaitForHold(t, hold.Name, "node drained after the restart", env.Drained)
	wantCordoned(t, pool, pool.Nodes[0])
	wantEvictedOnce(t, pool, pods)
	pool.Delete(t, hold.Name)
	wantClean(t, pool)
}

// TestKillAfterCreate kills the server as soon as a create was answered: what was
// promised must be kept, however little of it was done.
func TestKillAfterCreate(t *testing.T) {
	delays := []time.Duration{0, 20 * time.Millisecond, 60 * time.Millisecond}
	pool := env.Current(t).NewPool(t, len(delays)+1)
	pool.Run(t, pool.Cluster.Workload(pool.Name).Deployment("web", 8, pool.Selector()))
	keepServer(t)
	for i, delay := range delays {
		hold := pool.Create(t, pool.Hold(fmt.Sprint(i), pool.Nodes[i]))
		time.Sleep(delay)
		kill(t)
		t.Logf("killed %s after the create was answered; on the node: %q", delay, marksOn(pool.Node(t, pool.Nodes[i])))
		start(t)
		pool.WaitForHold(t, hold.Name, "node drained after the restart", env.Drained)
		wantCordoned(t, pool, pool.Nodes[i])
	}
	wantEvictedOnce(t, pool, nil)
	for i := range delays {
		pool.Delete(t, fmt.Sprintf("%s-%d", pool.Name, i))
	}
	wantClean(t, pool)
}

// TestKillMidDrain kills the server when some pods were evicted and are still
// terminating, since a finalizer keeps them, and others wait for their budget.
func TestKillMidDrain(t *testing.T) {
	pool := env.Current(t).NewPool(t, 2)
	node := pool.Nodes[0]
	kept := []localcluster.PodOption{localcluster.OnNode(node), localcluster.Finalizer(keepFinalizer), localcluster.Label(localcluster.AppLabel, "kept")}
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Pod("kept-1", kept...).Pod("kept-2", kept...).
		Deployment("guarded", 4, pool.Selector()).Budget("guarded", localcluster.MinAvailable("4")))
	terminating, guarded := podsOf(t, pool, node, "kept"), podsOf(t, pool, node, "guarded")

	keepServer(t)
	draft := pool.Hold("a", node)
	draft.Spec.Drain.TimeoutSeconds = new(int64(600))
	pool.Create(t, draft)
	before := pool.WaitForHold(t, draft.Name, "the drain is blocked", blockedOn(len(guarded)))
	env.Eventually(t, "the pods without a budget are evicted", func(context.Context) string {
		if counts := evictions(t, pool); len(counts) != len(terminating) {
			return fmt.Sprintf("evicted: %v", counts)
		}
		return ""
	})

	kill(t)
	start(t)
	release(t, pool, "kept-1", "kept-2")
	pool.WaitForHold(t, draft.Name, "evicted pods are gone", func(nm *v1beta1.NodeMaintenance) bool {
		wantSameDrain(t, before, nm)
		return nm.Status.PendingPodCount == int32(len(guarded))
	})
	setBudget(t, pool, "guarded", `{"spec":{"minAvailable":3}}`)
	after := pool.WaitForHold(t, draft.Name, "node drained", env.Drained)
	wantSameDrain(t, before, after)
	if want := int32(len(terminating) + len(guarded)); after.Status.EvictionPods != want {
		t.Errorf("status.evictionPods is %d, want %d", after.Status.EvictionPods, want)
	}
	wantEvictedOnce(t, pool, append(terminating, guarded...))
	pool.Delete(t, draft.Name)
	wantClean(t, pool)
}

// TestKillAfterDrain kills the server when a node is drained, and gives the node
// back after the restart.
func TestKillAfterDrain(t *testing.T) {
	pool := env.Current(t).NewPool(t, 2)
	pool.Run(t, pool.Cluster.Workload(pool.Name).Deployment("web", 4, pool.Selector()))
	pods := podsOf(t, pool, pool.Nodes[0], "web")
	keepServer(t)
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	kill(t)
	start(t)
	if node := pool.Node(t, pool.Nodes[0]); !cordoned(node) {
		t.Errorf("the node carries only %q after the restart", marksOn(node))
	}
	pool.Delete(t, hold.Name)
	wantClean(t, pool)
	wantEvictedOnce(t, pool, pods)
}

// blockedOn tells whether only so many pods are blocked, and all of them by their
// budget.
func blockedOn(pods int) func(nm *v1beta1.NodeMaintenance) bool {
	return func(nm *v1beta1.NodeMaintenance) bool {
		return int(nm.Status.BlockedPodCount) == pods && nm.Status.StartTime != nil &&
			!slices.ContainsFunc(nm.Status.Blockers, func(b v1beta1.DrainBlocker) bool {
				return b.Reason != v1beta1.BlockerDisruptionBudget
			})
	}
}

// wantSameDrain checks that a restart neither began the drain anew nor gave it
// more time.
func wantSameDrain(t *testing.T, before, after *v1beta1.NodeMaintenance) {
	t.Helper()
	if !after.Status.StartTime.Equal(before.Status.StartTime) {
		t.Errorf("status.startTime went from %s to %s", before.Status.StartTime, after.Status.StartTime)
	}
	if !after.Status.Deadline.Equal(before.Status.Deadline) {
		t.Errorf("status.deadline went from %s to %s", before.Status.Deadline, after.Status.Deadline)
	}
	if ptr.Deref(after.Status.DrainProgress, 0) < ptr.Deref(before.Status.DrainProgress, 0) {
		t.Errorf("status.drainProgress fell from %d to %d", ptr.Deref(before.Status.DrainProgress, 0), ptr.Deref(after.Status.DrainProgress, 0))
	}
}

// release lets terminating pods go.
func release(t *testing.T, pool *env.Pool, pods ...string) {
	t.Helper()
	for _, name := range pods {
		patch := []byte(`{"metadata":{"finalizers":null}}`)
		if _, err := pool.Kube.CoreV1().Pods(pool.Name).Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatalf("could not let pod %s go: %v", name, err)
		}
	}
}

// setBudget changes a budget of the pool by a merge patch.
func setBudget(t *testing.T, pool *env.Pool, name, patch string) {
	t.Helper()
	budgets := pool.Kube.PolicyV1().PodDisruptionBudgets(pool.Name)
	if _, err := budgets.Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatalf("could not change budget %s: %v", name, err)
	}
}
