// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestPodsThatSomebodyHasToRemove(t *testing.T) {
	t.Parallel()
	tests := map[string]obstacle{
		"unmanaged": {
			start: func(t *testing.T, p *pool) { p.Run(t, p.workload().Pod("bare", localcluster.OnNode(p.Nodes[0]))) },
			drain: v1beta1.DrainSpec{UnmanagedPods: v1beta1.PolicyBlock}, pod: "bare",
			want:  v1beta1.DrainBlocker{Reason: v1beta1.BlockerUnmanagedPod, Permanent: true},
			words: []string{"no controller would create the pod again", "delete the pod"}, column: "UnmanagedPod",
			event: "no controller would create the pod again",
			lift:  func(t *testing.T, p *pool) { p.deletePod(t, "bare") },
		},
		"emptyDir": {
			start: func(t *testing.T, p *pool) {
				p.Run(t, p.workload().StatefulSet("cache", 1, localcluster.EmptyDir(), localcluster.OnNode(p.Nodes[0])))
			},
			drain: v1beta1.DrainSpec{EmptyDirPods: v1beta1.PolicyBlock}, pod: "cache-0",
			want:  v1beta1.DrainBlocker{Reason: v1beta1.BlockerEmptyDirPod, Permanent: true},
			words: []string{"emptyDir", "save them"}, column: "EmptyDirPod",
			event: "emptyDir",
			lift: func(t *testing.T, p *pool) {
				p.stopSet(t, "cache")
				p.patch(t, p.Name+"-a", `{"spec":{"drain":{"emptyDirPods":"Evict"}}}`)
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.check(t)
		})
	}
}

func (p *pool) deletePod(t *testing.T, name string) {
	t.Helper()
	if err := p.Kube.CoreV1().Pods(p.Name).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatalf("could not delete pod %s: %v", name, err)
	}
}

// stopSet lets a StatefulSet's pods go without anything in their place.
func (p *pool) stopSet(t *testing.T, name string) {
	t.Helper()
	orphan := metav1.DeletePropagationOrphan
	err := p.Kube.AppsV1().StatefulSets(p.Name).Delete(t.Context(), name, metav1.DeleteOptions{PropagationPolicy: &orphan})
	if err != nil {
		t.Fatalf("could not delete StatefulSet %s: %v", name, err)
	}
}

func TestCreateWarnsOfLosses(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.Run(t, p.workload().Pod("bare", localcluster.OnNode(node), localcluster.EmptyDir()).Pod("plain", localcluster.OnNode(node)))
	hold := p.Hold("a", node)
	want := []string{
		fmt.Sprintf("pods of node %q that no controller creates again are evicted: 2 (%s/bare, %s/plain)", node, p.Name, p.Name),
		fmt.Sprintf("pods of node %q lose the data of their emptyDir volumes: 1 (%s/bare)", node, p.Name),
	}
	for _, verb := range [][]string{{"create", "--dry-run=server"}, {"apply", "--server-side", "--dry-run=server"}, {"apply"}} {
		out := p.Kubectl().Try(t, manifest(t, hold), append(verb, "-f", "-")...)
		for _, warning := range want {
			if out.Code != 0 || !strings.Contains(out.Stderr, "Warning: "+warning) {
				t.Errorf("kubectl %s does not warn that %s:\n%s", strings.Join(verb, " "), warning, out.Stderr)
			}
		}
	}
	blocking := p.Hold("b", node)
	blocking.Spec.Drain.UnmanagedPods, blocking.Spec.Stage = v1beta1.PolicyBlock, v1beta1.StageCordon
	if out := p.Kubectl().Try(t, manifest(t, blocking), "create", "-f", "-"); strings.Contains(out.Stderr, "no controller") {
		t.Errorf("warned of what is not evicted: %s", out.Stderr)
	}
	p.WaitForHold(t, hold.Name, "node drained", succeeded)
}
