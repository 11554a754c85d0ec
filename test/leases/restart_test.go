// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leases

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The tests in this file stop the server, so they are not parallel: they run before the others.

// A restarted server goes on with its lease, and drops one that nobody needs any more.
func TestRestartKeepsTheLease(t *testing.T) {
	pool := newPool(t, 2)
	held, left := pool.Nodes[0], pool.Nodes[1]
	hold := pool.Create(t, pool.Hold("held", held))
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	before := lease(t, pool, namespace, "node-"+held)
	server := env.Current(t).Server
	if _, err := server.Terminate(t.Context()); err != nil {
		t.Fatal(err)
	}
	// As a crash leaves it between the give-back and the drop.
	behind := before.DeepCopy()
	behind.Name, behind.ResourceVersion, behind.OwnerReferences = "node-"+left, "", nil
	if _, err := pool.Kube.CoordinationV1().Leases(namespace).Create(t.Context(), behind, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	env.Eventually(t, "the lease left behind is dropped", func(context.Context) string {
		if lease(t, pool, namespace, "node-"+left) != nil {
			return "it is there still"
		}
		return ""
	})
	if diff := cmp.Diff(before, lease(t, pool, namespace, "node-"+held)); diff != "" {
		t.Errorf("the lease after the restart (-before +after):\n%s", diff)
	}
	pool.Delete(t, hold.Name)
	if found := lease(t, pool, namespace, "node-"+held); found != nil {
		t.Errorf("the lease is there after the give-back: %v", found.Spec)
	}
}

// With KubeVirt's form, a lease has the name of its node, and stays without a holder.
func TestKubeVirtForm(t *testing.T) {
	pool := newPool(t, 1)
	node := pool.Nodes[0]
	apply(t, "nodeLeases.form=KubeVirt")
	permit(t, "node-maintenance")
	withArgs(t, "--node-leases=KubeVirt")
	hold := pool.Create(t, pool.Hold("kubevirt", node))
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	taken := lease(t, pool, "node-maintenance", node)
	if taken == nil || *taken.Spec.HolderIdentity != "node-maintenance" || *taken.Spec.LeaseDurationSeconds != 3600 {
		t.Fatalf("the lease is %+v, want an hour of node-maintenance", taken)
	}
	pool.Delete(t, hold.Name)
	dropped := lease(t, pool, "node-maintenance", node)
	if dropped == nil || dropped.Spec.HolderIdentity != nil || dropped.Spec.RenewTime != nil || dropped.Spec.LeaseDurationSeconds != nil {
		t.Errorf("the dropped lease is %+v, want one without holder and times", dropped)
	}
}

// A server that lacks the permissions says so, and does not touch the node. A hold that waits for that can end.
func TestWithoutPermission(t *testing.T) {
	pool := newPool(t, 1)
	withArgs(t, "--node-leases=Medik8s", "--node-lease-namespace=leases-of-nobody")
	hold := pool.Create(t, pool.Hold("refused", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "lastError says what is missing", func(nm *v1beta1.NodeMaintenance) bool {
		return strings.Contains(nm.Status.LastError, "could not get lease leases-of-nobody/node-"+pool.Nodes[0]) &&
			strings.HasSuffix(nm.Status.LastError, "the server needs the rights that the chart's value nodeLeases.form gives")
	})
	wantUntouched(t, pool, pool.Nodes[0], time.Second)
	pool.Delete(t, hold.Name)
}

// withArgs runs a server with other arguments in the place of the usual one, until the test's end.
func withArgs(t *testing.T, args ...string) {
	t.Helper()
	usual := env.Current(t).Server
	if _, err := usual.Terminate(t.Context()); err != nil {
		t.Fatalf("could not stop the server: %v", err)
	}
	options := env.ServerOptions()
	options.ExtraArgs = args
	other, err := env.Current(t).Cluster.StartServer(t.Context(), options)
	if err != nil {
		t.Fatalf("could not start another server: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), env.Timeout)
		defer cancel()
		if _, err := other.Terminate(ctx); err != nil {
			t.Errorf("could not stop the other server: %v", err)
		}
		if err := usual.Start(ctx); err != nil {
			t.Errorf("could not start the server again: %v", err)
		}
	})
}
