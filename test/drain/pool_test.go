// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"fmt"
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// pool is a test's nodes and namespace. Every status of its holds and every pod
// of its namespace is recorded, and at the test's end checked against what must
// hold of any drain.
type pool struct {
	*env.Pool
	statuses *statusRecord
	pods     *podRecord
	// contended says that somebody else evicts pods of the same budgets, so that
	// an eviction may come too late.
	contended bool
}

func newPool(t *testing.T, nodes int) *pool {
	t.Helper()
	p := &pool{Pool: env.Current(t).NewPool(t, nodes)}
	p.statuses = recordStatuses(t, p.Pool)
	p.pods = recordPods(t, p.Pool)
	t.Cleanup(func() {
		p.statuses.check(t)
		p.checkEvictions(t)
		p.checkDeletions(t)
	})
	return p
}

// workload is an empty workload of the pool's namespace.
func (p *pool) workload() *localcluster.Workload { return p.Cluster.Workload(p.Name) }

// apply applies a workload without waiting for it.
func (p *pool) apply(t *testing.T, workload *localcluster.Workload) {
	t.Helper()
	if err := workload.Apply(t.Context()); err != nil {
		t.Fatalf("could not apply the workload: %v", err)
	}
}

// runOn runs a workload whose pods are scheduled to one node, and may go to every
// other afterwards.
func (p *pool) runOn(t *testing.T, node string, workload *localcluster.Workload) {
	t.Helper()
	for _, other := range p.Nodes {
		if other != node {
			p.setUnschedulable(t, other, true)
		}
	}
	p.Run(t, workload)
	for _, other := range p.Nodes {
		if other != node {
			p.setUnschedulable(t, other, false)
		}
	}
}

func (p *pool) setUnschedulable(t *testing.T, node string, value bool) {
	t.Helper()
	p.patchNode(t, node, fmt.Sprintf(`{"spec":{"unschedulable":%t}}`, value))
}

func (p *pool) patchNode(t *testing.T, node, patch string) {
	t.Helper()
	_, err := p.Kube.CoreV1().Nodes().Patch(t.Context(), node, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		t.Fatalf("could not patch node %s: %v", node, err)
	}
}

// patch changes a hold by a merge patch.
func (p *pool) patch(t *testing.T, hold, patch string) *v1beta1.NodeMaintenance {
	t.Helper()
	patched, err := p.Maintenance.MaintenanceV1beta1().NodeMaintenances().
		Patch(t.Context(), hold, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		t.Fatalf("could not patch NodeMaintenance %s: %v", hold, err)
	}
	return patched
}

func (p *pool) setStage(t *testing.T, hold string, stage v1beta1.MaintenanceStage) *v1beta1.NodeMaintenance {
	t.Helper()
	return p.patch(t, hold, fmt.Sprintf(`{"spec":{"stage":%q}}`, stage))
}

// drain creates a hold on a node and waits until it is drained.
func (p *pool) drain(t *testing.T, suffix, node string) *v1beta1.NodeMaintenance {
	t.Helper()
	hold := p.Create(t, p.Hold(suffix, node))
	return p.WaitForHold(t, hold.Name, "node drained", succeeded)
}

// apps counts the pods on a node that are not terminating, by what their
// workload calls them.
func (p *pool) apps(t *testing.T, node string) map[string]int {
	t.Helper()
	pods, err := p.PodsOn(t.Context(), node)
	if err != nil {
		t.Fatalf("could not list pods of node %s: %v", node, err)
	}
	apps := map[string]int{}
	for i := range pods {
		if pods[i].DeletionTimestamp.IsZero() {
			apps[pods[i].Labels[localcluster.AppLabel]]++
		}
	}
	return apps
}

// pod returns a pod of the pool's namespace.
func (p *pool) pod(ctx context.Context, name string) (*corev1.Pod, error) {
	return p.Kube.CoreV1().Pods(p.Name).Get(ctx, name, metav1.GetOptions{})
}

// wantApps checks what is on a node.
func (p *pool) wantApps(t *testing.T, node string, want map[string]int) {
	t.Helper()
	if got := p.apps(t, node); !maps.Equal(got, want) {
		t.Errorf("on node %s there are %v, want %v", node, got, want)
	}
}

func (p *pool) patchPod(t *testing.T, pod, patch string) {
	t.Helper()
	// Also at the test's end, when its context is done.
	_, err := p.Kube.CoreV1().Pods(p.Name).Patch(context.Background(), pod, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		t.Errorf("could not patch pod %s: %v", pod, err)
	}
}

// evict evicts a pod as somebody else than our server.
func (p *pool) evict(ctx context.Context, pod string, dryRun ...string) error {
	return p.Kube.CoreV1().Pods(p.Name).EvictV1(ctx, &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: p.Name, Name: pod},
		DeleteOptions: &metav1.DeleteOptions{DryRun: dryRun},
	})
}
