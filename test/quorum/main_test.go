// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package quorum holds members of control planes. Members are counted over the whole cluster, so its tests run one after
// another on a control plane of their own.
package quorum

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestMain(m *testing.M) { os.Exit(env.MainAlone(m)) }

const memberLabel = "node-role.kubernetes.io/control-plane"

// newMembers gives the test some nodes, which are the control plane until its end, and waits until the server knows that
// these, and no others, are.
func newMembers(t *testing.T, count int) *env.Pool {
	t.Helper()
	pool := env.Current(t).NewPool(t, count)
	for _, node := range pool.Nodes {
		pool.Kubectl().Must(t, "", "label", "node", node, memberLabel+"=")
	}
	env.Eventually(t, "the server knows the members", func(ctx context.Context) string {
		states, err := pool.Maintenance.MaintenanceV1beta1().NodeStates().List(ctx, metav1.ListOptions{LabelSelector: memberLabel})
		if err != nil {
			return err.Error()
		}
		known := sets.New[string]()
		for i := range states.Items {
			known.Insert(states.Items[i].Name)
		}
		if !known.Equal(sets.New(pool.Nodes...)) {
			return fmt.Sprintf("it knows %v", sets.List(known))
		}
		return ""
	})
	return pool
}

// manifest is a hold on a node, with the rest of its spec.
func manifest(pool *env.Pool, suffix, node, spec string) string {
	return fmt.Sprintf("apiVersion: %s\nkind: NodeMaintenance\nmetadata: {name: %s-%s}\nspec: {nodeName: %s, %s}\n",
		v1beta1.SchemeGroupVersion, pool.Name, suffix, node, spec)
}

// try creates a hold with kubectl.
func try(t *testing.T, pool *env.Pool, kubectl *env.Kubectl, suffix, node, spec string, args ...string) env.Output {
	t.Helper()
	return kubectl.Try(t, manifest(pool, suffix, node, spec), append([]string{"create", "-f", "-"}, args...)...)
}

// must creates a hold as the admin, and returns what kubectl warned of.
func must(t *testing.T, pool *env.Pool, suffix, node, spec string) string {
	t.Helper()
	out := try(t, pool, pool.Kubectl(), suffix, node, spec)
	if out.Code != 0 {
		t.Fatalf("the hold on %s was not created: %s", node, out.Stderr)
	}
	return out.Stderr
}

// wantRefused wants an answer that says all of this.
func wantRefused(t *testing.T, out env.Output, texts ...string) {
	t.Helper()
	if out.Code == 0 {
		t.Errorf("it was created: %s", out.Stdout)
	}
	for _, text := range texts {
		if !strings.Contains(out.Stderr, text) {
			t.Errorf("the answer does not say %q: %s", text, out.Stderr)
		}
	}
}

func succeeded(nm *v1beta1.NodeMaintenance) bool { return nm.Status.Phase == v1beta1.PhaseSucceeded }

// waitsFor says whether a hold waits for the quorum, with that text.
func waitsFor(text string) func(nm *v1beta1.NodeMaintenance) bool {
	return func(nm *v1beta1.NodeMaintenance) bool {
		condition := apimeta.FindStatusCondition(nm.Status.Conditions, v1beta1.ConditionCordoned)
		return nm.Status.Phase == v1beta1.PhasePending && condition != nil &&
			condition.Reason == v1beta1.ReasonControlPlaneQuorum && strings.Contains(condition.Message, text)
	}
}

// fail stops a node's kubelet, and has it be not ready at once. Back starts it again.
func fail(t *testing.T, pool *env.Pool, node string) (back func()) {
	t.Helper()
	if err := pool.Cluster.StopKubelet(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	setReady(t, pool, node, corev1.ConditionFalse)
	return func() {
		if err := pool.Cluster.StartKubelet(t.Context(), node); err != nil {
			t.Fatal(err)
		}
		setReady(t, pool, node, corev1.ConditionTrue)
	}
}

func setReady(t *testing.T, pool *env.Pool, node string, status corev1.ConditionStatus) {
	t.Helper()
	patch := fmt.Appendf(nil, `{"status":{"conditions":[{"type":"Ready","status":%q,"reason":"Test"}]}}`, status)
	nodes := pool.Kube.CoreV1().Nodes()
	if _, err := nodes.Patch(t.Context(), node, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
}

// restart starts the server anew. It finds out then what the cluster serves.
func restart(t *testing.T) {
	t.Helper()
	server := env.Current(t).Server
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), env.Timeout)
	defer cancel()
	if err := server.Start(ctx); err != nil {
		t.Fatal(err)
	}
}
