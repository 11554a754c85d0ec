// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestWhoGoesAndWhoStays(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2)
	node := p.Nodes[0]
	p.runOn(t, node, p.workload().
		Deployment("web", 2, p.Selector()).
		StatefulSet("db", 2, p.Selector(), localcluster.EmptyDir()).
		Job("job", 2, p.Selector()).
		Pod("bare", localcluster.OnNode(node)).
		Pod("scratch", localcluster.OnNode(node), localcluster.EmptyDir()).
		Pod("finished", localcluster.OnNode(node), localcluster.CompleteAfter(time.Millisecond)).
		DaemonSet("agent", p.Selector(), localcluster.EmptyDir()).
		MirrorPod("static", node))
	p.startPending(t, "pending", node)

	hold := p.drain(t, "a", node)
	if got := condition(hold, v1beta1.ConditionDrained).Reason; got != v1beta1.ReasonNodeEmpty {
		t.Errorf("Drained has the reason %s, want %s", got, v1beta1.ReasonNodeEmpty)
	}
	if s := hold.Status; s.EvictionPods != 10 || s.TotalPods != 12 || ptr.Deref(s.DrainProgress, 0) != 100 {
		t.Errorf("%d of %d pods were moved, %d%%; want 10 of 12, 100%%", s.EvictionPods, s.TotalPods, ptr.Deref(s.DrainProgress, 0))
	}

	wantLeft := []string{"agent", "static-" + node}
	if left := slices.Sorted(maps.Keys(p.apps(t, node))); !slices.Equal(left, wantLeft) {
		t.Errorf("%v are left on the node, want %v", left, wantLeft)
	}
	evicted := p.evicted(t)
	for uid, pod := range p.pods.on(node) {
		wantEvicted := !slices.Contains(wantLeft, pod.app)
		e, wasEvicted := evicted[pod.name]
		if wasEvicted != wantEvicted || (wasEvicted && e.uid != uid) {
			t.Errorf("pod %s: evicted %t, want %t", pod.name, wasEvicted, wantEvicted)
		}
		if wasEvicted && e.grace != nil {
			t.Errorf("pod %s got %d s to stop although nobody asked for that", pod.name, *e.grace)
		}
	}
	for _, app := range []string{"web", "db"} {
		env.Eventually(t, app+" runs on the other node", func(context.Context) string {
			if p.apps(t, p.Nodes[1])[app] == 2 {
				return ""
			}
			return "not yet"
		})
	}
}

func TestPodThatTerminatesAlreadyIsAwaited(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.Run(t, p.workload().Pod("going", localcluster.OnNode(node), localcluster.TerminationDelay(5*time.Second)))
	if err := p.Kube.CoreV1().Pods(p.Name).Delete(t.Context(), "going", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	hold := p.Create(t, p.Hold("a", node))
	p.WaitForHold(t, hold.Name, "drain waits", func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.PendingPodCount == 1 })
	p.WaitForHold(t, hold.Name, "node drained", succeeded)
	if evictions := p.evictions(t); len(evictions) > 0 {
		t.Errorf("%d evictions were posted, want none", len(evictions))
	}
}

// startPending starts a pod that is bound to a node and never gets to run.
func (p *pool) startPending(t *testing.T, name, node string) {
	t.Helper()
	p.apply(t, p.workload().Pod(name, localcluster.OnNode(node), localcluster.ReadyDelay(time.Hour)))
	pod, err := p.pod(t.Context(), name)
	if err != nil || pod.Status.Phase != corev1.PodPending {
		t.Fatalf("pod %s: phase %s, %v; want Pending", name, pod.Status.Phase, err)
	}
}
