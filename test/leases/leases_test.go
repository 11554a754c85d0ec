// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leases

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The lease is there when the node is cordoned, belongs to the node, and goes when the node has been given back.
func TestLeaseIsTakenBeforeTheCordon(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 1)
	node := pool.Nodes[0]
	nodes, err := pool.Kube.CoreV1().Nodes().Watch(t.Context(), metav1.SingleObject(metav1.ObjectMeta{Name: node}))
	if err != nil {
		t.Fatal(err)
	}
	defer nodes.Stop()
	hold := pool.Create(t, pool.Hold("a", node))
	cordoned := firstCordoned(t, nodes)
	taken := lease(t, pool, namespace, "node-"+node)
	if taken == nil {
		t.Fatal("the node is cordoned, and there is no lease")
	}
	// One store has both, so their versions are in one order.
	if version(t, taken) > version(t, cordoned) {
		t.Errorf("the lease is of version %s, after the cordon in version %s", taken.ResourceVersion, cordoned.ResourceVersion)
	}
	if *taken.Spec.HolderIdentity != "node-maintenance" || *taken.Spec.LeaseDurationSeconds != 3600 || *taken.Spec.LeaseTransitions != 0 {
		t.Errorf("the lease is %+v, want an hour of node-maintenance", taken.Spec)
	}
	want := metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: node, UID: pool.Node(t, node).UID}
	if len(taken.OwnerReferences) != 1 || taken.OwnerReferences[0] != want {
		t.Errorf("the owners of the lease are %v, want %v", taken.OwnerReferences, want)
	}
	pool.Delete(t, hold.Name)
	if found := lease(t, pool, namespace, "node-"+node); found != nil {
		t.Errorf("the lease is there after the give-back: %v", found.Spec)
	}
}

func version(t *testing.T, object metav1.Object) int {
	t.Helper()
	version, err := strconv.Atoi(object.GetResourceVersion())
	if err != nil {
		t.Fatal(err)
	}
	return version
}

// firstCordoned waits until the watch shows the node cordoned, and returns it as it was first then.
func firstCordoned(t *testing.T, nodes watch.Interface) *corev1.Node {
	t.Helper()
	timeout := time.NewTimer(env.Timeout)
	defer timeout.Stop()
	for {
		select {
		case event := <-nodes.ResultChan():
			if node, isNode := event.Object.(*corev1.Node); isNode && node.Spec.Unschedulable {
				return node
			}
		case <-timeout.C:
			t.Fatal("the node was not cordoned")
			return nil
		}
	}
}

// A node whose lease another operator has is not touched. When the lease is free, its maintenance starts at once.
func TestHeldLease(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 1)
	node := pool.Nodes[0]
	steal(t, pool, node)
	hold := pool.Create(t, pool.Hold("a", node))
	waiting := pool.WaitForHold(t, hold.Name, "waits for the lease", says(v1beta1.PhasePending, v1beta1.ReasonLeaseHeld, 0))
	const want = "failed to obtain a lease that is not owned by us : can't update or invalidate the lease because it is held by " +
		"different owner: node-healthcheck errorOnLeaseCount 0"
	if waiting.Status.LastError != want {
		t.Errorf("lastError is\n%s\nwant\n%s", waiting.Status.LastError, want)
	}
	until := lease(t, pool, namespace, "node-"+node).Spec.RenewTime.Add(time.Hour).UTC().Format(time.RFC3339)
	described := pool.Kubectl().Must(t, "", "describe", "nodemaintenance", hold.Name)
	if said := "(lease medik8s-leases/node-" + node + " of node-healthcheck, until " + until + " or longer)"; !strings.Contains(described, said) {
		t.Errorf("kubectl describe lacks %q:\n%s", said, described)
	}
	wantUntouched(t, pool, node, time.Second)
	free(t, pool, node)
	env.EventuallyWithin(t, soon, "goes on when the lease is free", func(context.Context) string {
		if !pool.Node(t, node).Spec.Unschedulable {
			return "it is not cordoned"
		}
		return ""
	})
	done := pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	if done.Status.LastError != "" {
		t.Errorf("lastError is still %q", done.Status.LastError)
	}
}

// A lease that is lost in the middle of a drain stops the drain of every hold, and fails them. When it is free, they
// go on.
func TestLostLease(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 1)
	node := pool.Nodes[0]
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Deployment("guarded", 2, pool.Selector()).Budget("guarded", localcluster.MaxUnavailable("0")))
	first, second := pool.Create(t, pool.Hold("a", node)), pool.Create(t, pool.Hold("b", node))
	running := says(v1beta1.PhaseRunning, v1beta1.ReasonCordoned, 0)
	pool.WaitForHold(t, first.Name, "the drain is blocked", running)
	pool.WaitForHold(t, second.Name, "the drain is blocked", running)
	steal(t, pool, node)
	for _, hold := range []string{first.Name, second.Name} {
		failed := pool.WaitForHold(t, hold, "has failed", says(v1beta1.PhaseFailed, v1beta1.ReasonLeaseLost, 4))
		if got, want := failed.Status.LastError, "maintenance failed: lease could not be extended after 4 attempts"; got != want {
			t.Errorf("lastError is %q, want %q", got, want)
		}
	}
	pool.Kubectl().Must(t, "", "-n", pool.Name, "delete", "poddisruptionbudget", "guarded")
	wantUntouched(t, pool, node, 2*time.Second)
	if pods, err := pool.PodsOn(t.Context(), node); err != nil || len(pods) != 2 || pods[0].DeletionTimestamp != nil || pods[1].DeletionTimestamp != nil {
		t.Errorf("%d pods are on the node (%v), want both that were there", len(pods), err)
	}
	free(t, pool, node)
	for _, hold := range []string{first.Name, second.Name} {
		done := pool.WaitForHold(t, hold, "goes on, and is drained", env.Drained)
		if done.Status.LeaseErrorCount != 0 || done.Status.LastError != "" || done.Status.Phase != v1beta1.PhaseSucceeded {
			t.Errorf("the status still tells of the loss: %+v", done.Status)
		}
	}
}

// A node whose lease another operator has is not given back before the lease is free.
func TestDeleteWhileAnotherHasTheLease(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 1)
	node := pool.Nodes[0]
	hold := pool.Create(t, pool.Hold("a", node))
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	steal(t, pool, node)
	holds := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	if err := holds.Delete(t.Context(), hold.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	pool.WaitForHold(t, hold.Name, "says why it stays", func(nm *v1beta1.NodeMaintenance) bool {
		const held = "can't update or invalidate the lease because it is held by different owner: node-healthcheck"
		return nm.DeletionTimestamp != nil && strings.HasPrefix(nm.Status.LastError, held) &&
			strings.HasSuffix(nm.Status.LastError, "node "+node+" is given back when the lease is free")
	})
	wantUntouched(t, pool, node, time.Second)
	free(t, pool, node)
	env.EventuallyWithin(t, soon, "given back when the lease is free", func(ctx context.Context) string {
		if _, err := holds.Get(ctx, hold.Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return "the hold is there still"
		}
		return ""
	})
	if pool.Node(t, node).Spec.Unschedulable || lease(t, pool, namespace, "node-"+node) != nil {
		t.Errorf("the node or its lease is not given back: %s", marks(t, pool, node))
	}
}
