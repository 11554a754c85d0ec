// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// openShift makes the cluster one, as far as the server looks.
const openShift = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: clusterversions.config.openshift.io
spec:
  group: config.openshift.io
  names: {kind: ClusterVersion, plural: clusterversions}
  scope: Cluster
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`

// etcdBudget is a disruption budget of etcd's guard pods.
const etcdBudget = `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: %s, namespace: openshift-etcd}
spec: {minAvailable: %d, selector: {matchLabels: {role: guard}}}
`

// On OpenShift etcd's disruption budget must agree, besides the numbers. The test is the last one: the server takes the
// cluster for an OpenShift from then on.
func TestOpenShift(t *testing.T) {
	pool := newMembers(t, 3)
	admin := pool.Kubectl()
	admin.Must(t, openShift, "apply", "-f", "-")
	t.Cleanup(func() {
		cleanup, cancel := context.WithTimeout(context.Background(), env.Timeout)
		defer cancel()
		what := []string{"delete", "crd/clusterversions.config.openshift.io", "namespace/openshift-etcd", "--wait=false", "--ignore-not-found"}
		if out, err := admin.Command(cleanup, what...).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	env.Eventually(t, "the group is served", func(context.Context) string {
		return admin.Try(t, "", "get", "--raw", "/apis/config.openshift.io/v1").Stderr
	})
	restart(t)
	create := func(node string) env.Output {
		return try(t, pool, admin, "dry", node, "stage: Drain", "--dry-run=server")
	}
	wantRefused(t, create(pool.Nodes[0]), "(Forbidden)", "namespace openshift-etcd must have one disruption budget for etcd, and has 0")

	runGuards(t, pool)
	setBudget(t, pool, 3, false)
	wantRefused(t, create(pool.Nodes[0]), "etcd would lose its quorum: the disruption budget openshift-etcd/etcd-guard-pdb allows 0 disruptions, "+
		"and its pod guard-0 on the node is healthy", "set spec.overrideQuorum")

	// The member whose guard has failed is disrupted already.
	if err := pool.Cluster.StopKubelet(t.Context(), pool.Nodes[1]); err != nil {
		t.Fatal(err)
	}
	env.Eventually(t, "a member whose guard is not ready", func(context.Context) string {
		// Again, since the simulated kubelet may have heard late that it is to stop.
		admin.Must(t, "", "patch", "pod", "guard-1", "-n", "openshift-etcd", "--subresource=status", "--type=strategic", "-p",
			`{"status":{"conditions":[{"type":"Ready","status":"False"}]}}`)
		if out := create(pool.Nodes[1]); out.Code != 0 {
			return out.Stderr
		}
		return ""
	})
	if err := pool.Cluster.StartKubelet(t.Context(), pool.Nodes[1]); err != nil {
		t.Fatal(err)
	}
	setBudget(t, pool, 1, true)
	if out := create(pool.Nodes[0]); out.Code != 0 {
		t.Errorf("while the budget allows a disruption: %s", out.Stderr)
	}
	admin.Must(t, fmt.Sprintf(etcdBudget, "another", 1), "apply", "-f", "-")
	wantRefused(t, create(pool.Nodes[0]), "must have one disruption budget for etcd, and has 2")
	admin.Must(t, "", "delete", "pdb", "another", "-n", "openshift-etcd")

	// The gate heeds it too, and asks again.
	setBudget(t, pool, 3, false)
	must(t, pool, "a", pool.Nodes[0], "stage: Idle")
	hold := pool.Name + "-a"
	admin.Must(t, "", "patch", "nm", hold, "--type=merge", "-p", `{"spec":{"stage":"Drain"}}`)
	pool.WaitForHold(t, hold, "the node waits for etcd", waitsFor("it is taken as soon as etcd can spare it"))
	setBudget(t, pool, 1, true)
	pool.WaitForHold(t, hold, "the node is taken", func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.Phase != v1beta1.PhasePending })
}

// runGuards runs a guard pod on each member, and waits until they are ready.
func runGuards(t *testing.T, pool *env.Pool) {
	t.Helper()
	guards := pool.Cluster.Workload("openshift-etcd")
	for i, node := range pool.Nodes {
		guards.Pod(fmt.Sprintf("guard-%d", i), localcluster.OnNode(node), localcluster.Label("role", "guard"))
	}
	pool.Run(t, guards)
}

// setBudget sets how many of the guards must be available, and waits until the budget says whether one may go.
func setBudget(t *testing.T, pool *env.Pool, available int, allows bool) {
	t.Helper()
	pool.Kubectl().Must(t, fmt.Sprintf(etcdBudget, "etcd-guard-pdb", available), "apply", "-f", "-")
	env.Eventually(t, "the budget is counted", func(ctx context.Context) string {
		budget, err := pool.Kube.PolicyV1().PodDisruptionBudgets("openshift-etcd").Get(ctx, "etcd-guard-pdb", metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if budget.Status.ObservedGeneration != budget.Generation || (budget.Status.DisruptionsAllowed > 0) != allows {
			return fmt.Sprintf("it says %+v", budget.Status)
		}
		return ""
	})
}
