// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The counts mean what they meant, while a budget blocks the drain and after it.
func TestProgress(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		node := u.Nodes[0]
		u.Run(t, u.Cluster.Workload(u.Name).
			Deployment("free", 2, u.Selector()).
			Deployment("kept", 2, u.Selector()).Budget("kept", localcluster.MinAvailable("2")).
			DaemonSet("agent", u.Selector()).
			MirrorPod("static", node))
		name := u.apply(t, node)
		blocked := u.waitFor(t, name, "half of the pods are gone", func(nm *nodeMaintenance) bool {
			return len(nm.Status.PendingPods) == 2 && nm.Status.LastError != ""
		}).Status
		u.wantBlocked(t, &blocked)

		u.patchBudget(t, "kept", `{"spec":{"minAvailable":0}}`)
		done := u.waitFor(t, name, "node drained", succeeded).Status
		if done.LastError != "" || len(done.PendingPods)+len(done.PendingPodsRefs) != 0 {
			t.Errorf("want no error and no pending pods after success: %+v", done)
		}
		if done.TotalPods != 6 || done.EvictionPods != 4 {
			t.Errorf("got %d and %d pods, want still 6, of which 4 had to go", done.TotalPods, done.EvictionPods)
		}
		if want := 100; u.has("drainProgress") && done.DrainProgress != want {
			t.Errorf("got progress %d, want %d", done.DrainProgress, want)
		}
	})
}

// wantBlocked checks the status of a drain with two of four pods gone.
func (u *user) wantBlocked(t *testing.T, got *status) {
	t.Helper()
	if got.Phase != "Running" || got.TotalPods != 6 || got.EvictionPods != 4 {
		t.Errorf("got phase %s, %d pods, of which %d had to go; want Running, 6, 4", got.Phase, got.TotalPods, got.EvictionPods)
	}
	for _, pod := range got.PendingPods {
		if !strings.HasPrefix(pod, "kept-") {
			t.Errorf("pending pod %q: want the name of a pod of kept, without its namespace", pod)
		}
	}
	if !strings.Contains(got.LastError, "kept") {
		t.Errorf("lastError does not name the budget: %q", got.LastError)
	}
	if u.has("drainProgress") && got.DrainProgress != 50 {
		t.Errorf("got progress %d, want 50", got.DrainProgress)
	}
	if u.has("lastUpdate") && got.LastUpdate == nil {
		t.Error("want the time of the last update")
	}
	var refs []podRef
	for _, pod := range got.PendingPods {
		refs = append(refs, podRef{Namespace: u.Name, Name: pod})
	}
	if u.has("pendingPodsRefs") && !slices.Equal(got.PendingPodsRefs, refs) {
		t.Errorf("got refs %v, want %v", got.PendingPodsRefs, refs)
	}
}

func (u *user) patchBudget(t *testing.T, name, patch string) {
	t.Helper()
	_, err := u.Kube.PolicyV1().PodDisruptionBudgets(u.Name).
		Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// A drain that waits for budgets holds up nobody: neither another drain, nor its own end. With the
// operator, each of them took half a minute of the only worker, again and again.
func TestBlockedDrainsHoldUpNobody(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 3, func(t *testing.T, u *user) {
		u.Run(t, u.Cluster.Workload(u.Name).
			Pod("a", localcluster.OnNode(u.Nodes[0])).Budget("a", localcluster.MinAvailable("1")).
			Pod("b", localcluster.OnNode(u.Nodes[1])).Budget("b", localcluster.MinAvailable("1")).
			Pod("free", localcluster.OnNode(u.Nodes[2])))
		first, second := u.apply(t, u.Nodes[0]), u.apply(t, u.Nodes[1])
		isBlocked := func(nm *nodeMaintenance) bool { return nm.Status.LastError != "" }
		u.waitFor(t, first, "blocked by a budget", isBlocked)
		u.waitFor(t, second, "blocked by a budget", isBlocked)

		u.waitFor(t, u.apply(t, u.Nodes[2]), "third node drained", succeeded)
		// By then, the status has said all that the first budgets and pods led to.
		u.WaitForHold(t, second, "blocked for good", func(nm *v1beta1.NodeMaintenance) bool {
			return len(nm.Status.Blockers) == 1 && nm.Status.Blockers[0].Permanent
		})
		quiet := u.waitFor(t, second, "blocked by a budget", isBlocked)
		u.wantGivenBackWithPods(t, first, u.Nodes[0])
		if now, err := u.get(t.Context(), second); err != nil || now.ResourceVersion != quiet.ResourceVersion {
			t.Errorf("error %v; the status was written again although nothing has changed: %+v", err, now.Status)
		}
	})
}

// wantGivenBackWithPods ends a maintenance whose drain is blocked.
func (u *user) wantGivenBackWithPods(t *testing.T, name, node string) {
	t.Helper()
	u.Kubectl().Must(t, "", "delete", u.resource(), name, "--timeout="+env.Timeout.String())
	if u.Node(t, node).Spec.Unschedulable {
		t.Errorf("node %s is still cordoned", node)
	}
	pods, err := u.PodsOn(t.Context(), node)
	if err != nil || len(pods) != 1 || pods[0].DeletionTimestamp != nil {
		t.Errorf("error %v; want the blocked pod to run on: %d pods", err, len(pods))
	}
}
