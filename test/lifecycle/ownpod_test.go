// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestOwnPodGoesLast has the server believe that it runs in a pod of a Deployment. Its node is drained: the
// pod stays while it is the only one, and goes when the Deployment has another.
func TestOwnPodGoesLast(t *testing.T) {
	pool := env.Current(t).NewPool(t, 2)
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Deployment("server", 1, pool.Selector(), localcluster.Label("app.kubernetes.io/name", pool.Name)).
		Deployment("web", 2, pool.Selector()))
	own := onlyPodOf(t, pool, "server")
	replaceServer(t, localcluster.ServerOptions{Env: []string{"POD_NAMESPACE=" + own.Namespace, "POD_NAME=" + own.Name}})

	hold := pool.Create(t, pool.Hold("a", own.Spec.NodeName))
	blocked := pool.WaitForHold(t, hold.Name, "only the server's pod is left", func(nm *v1beta1.NodeMaintenance) bool {
		return slices.Equal(nm.Status.PendingPods, []string{own.Namespace + "/" + own.Name})
	})
	blockers := blocked.Status.Blockers
	if len(blockers) != 1 || blockers[0].Reason != v1beta1.BlockerOwnPod || !blockers[0].Permanent ||
		!strings.Contains(blockers[0].Message, "raise spec.replicas of Deployment server") {
		t.Errorf("blockers %+v, want a permanent one that says what helps", blockers)
	}

	pool.Kubectl().Must(t, "", "-n", own.Namespace, "scale", "deployment", "server", "--replicas=2")
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	pool.Delete(t, hold.Name)
	wantClean(t, pool)
}

// onlyPodOf returns the one pod of an app.
func onlyPodOf(t *testing.T, pool *env.Pool, app string) *corev1.Pod {
	t.Helper()
	for _, node := range pool.Nodes {
		pods, err := pool.PodsOn(t.Context(), node)
		if err != nil {
			t.Fatal(err)
		}
		for i := range pods {
			if pods[i].Labels[localcluster.AppLabel] == app {
				return &pods[i]
			}
		}
	}
	t.Fatalf("there is no pod of %s", app)
	return nil
}
