// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package leases tests on a real control plane that the server shares nodes with operators that take the
// leases of nodes. The server has the permissions of the chart with node leases, and no others.
package leases

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// namespace is where the leases are.
const namespace = "medik8s-leases"

// soon is how long the server may take to see that a lease is free. It is less than the minute after which the
// server would ask in any case, and long enough for a loaded machine.
const soon = 30 * time.Second

func TestMain(m *testing.M) {
	options := env.ServerOptions()
	options.ExtraArgs = []string{"--node-leases=Medik8s"}
	os.Exit(env.MainWith(m, options))
}

// permitted gives the server its permissions, once, and starts it anew with them.
var permitted sync.Once

// newPool gives the test nodes, with a server that takes leases.
func newPool(t *testing.T, nodes int) *env.Pool {
	t.Helper()
	e := env.Current(t)
	permitted.Do(func() {
		apply(t, "nodeLeases.form=Medik8s")
		permit(t, namespace)
		restart(t)
	})
	return e.NewPool(t, nodes)
}

// apply applies the chart with a value.
func apply(t *testing.T, value string) {
	t.Helper()
	if err := env.Current(t).Cluster.ApplyChart(t.Context(), value); err != nil {
		t.Fatal(err)
	}
}

// permit waits until the server may use leases in the namespace.
func permit(t *testing.T, namespace string) {
	t.Helper()
	env.Current(t).WaitForPermission(t, authorizationv1.ResourceAttributes{
		Group: coordinationv1.GroupName, Resource: "leases", Verb: "watch", Namespace: namespace,
	}, true)
}

// restart ends the server as its supervisor does, and starts it again.
func restart(t *testing.T) {
	t.Helper()
	server := env.Current(t).Server
	if _, err := server.Terminate(t.Context()); err != nil {
		t.Fatalf("could not stop the server: %v", err)
	}
	if err := server.Start(t.Context()); err != nil {
		t.Fatalf("could not start the server: %v", err)
	}
}

// lease returns the lease; nil when there is none.
func lease(t *testing.T, pool *env.Pool, namespace, name string) *coordinationv1.Lease {
	t.Helper()
	found, err := pool.Kube.CoordinationV1().Leases(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		t.Fatalf("could not get lease %s/%s: %v", namespace, name, err)
	}
	return found
}

// steal gives the node's lease to another operator, for an hour.
func steal(t *testing.T, pool *env.Pool, node string) {
	t.Helper()
	leases := pool.Kube.CoordinationV1().Leases(namespace)
	now := metav1.NowMicro()
	stolen := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "node-" + node},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: ptr.To("node-healthcheck"), LeaseDurationSeconds: ptr.To[int32](3600), AcquireTime: &now, RenewTime: &now,
		},
	}
	var err error
	if ours := lease(t, pool, namespace, stolen.Name); ours != nil {
		stolen.ResourceVersion = ours.ResourceVersion
		_, err = leases.Update(t.Context(), stolen, metav1.UpdateOptions{})
	} else {
		_, err = leases.Create(t.Context(), stolen, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatalf("could not steal the lease: %v", err)
	}
}

// free has the other operator give up the node's lease.
func free(t *testing.T, pool *env.Pool, node string) {
	t.Helper()
	if err := pool.Kube.CoordinationV1().Leases(namespace).Delete(t.Context(), "node-"+node, metav1.DeleteOptions{}); err != nil {
		t.Fatalf("could not free the lease: %v", err)
	}
}

// says says whether a hold says that of its lease.
func says(phase v1beta1.MaintenancePhase, reason string, count int32) func(*v1beta1.NodeMaintenance) bool {
	return func(nm *v1beta1.NodeMaintenance) bool {
		cordoned := apimeta.FindStatusCondition(nm.Status.Conditions, v1beta1.ConditionCordoned)
		return nm.Status.Phase == phase && cordoned != nil && cordoned.Reason == reason && nm.Status.LeaseErrorCount == count
	}
}

// wantUntouched checks for a while that the node keeps its version, but for what its kubelet writes.
func wantUntouched(t *testing.T, pool *env.Pool, node string, duration time.Duration) {
	t.Helper()
	before := marks(t, pool, node)
	env.Always(t, duration, "node is not touched", func(context.Context) string {
		if now := marks(t, pool, node); now != before {
			return fmt.Sprintf("it was %s and is %s", before, now)
		}
		return ""
	})
}

// marks are what a maintenance sets on a node.
func marks(t *testing.T, pool *env.Pool, name string) string {
	t.Helper()
	node := pool.Node(t, name)
	var taints []string
	for _, taint := range node.Spec.Taints {
		taints = append(taints, taint.ToString())
	}
	return fmt.Sprintf("unschedulable %t, taints %s, label %q, annotation %q", node.Spec.Unschedulable, strings.Join(taints, ","),
		node.Labels[v1beta1.ExcludeFromRemediationLabel], node.Annotations[v1beta1.HoldsAnnotation])
}
