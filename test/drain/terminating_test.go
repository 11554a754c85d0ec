// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const foreignFinalizer = "example.com/backup"

func TestPodsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	tests := map[string]obstacle{
		"finalizer": {
			start: func(t *testing.T, p *pool) {
				p.Run(t, p.workload().Pod("slow", localcluster.OnNode(p.Nodes[0]), localcluster.GracePeriod(1), localcluster.Finalizer(foreignFinalizer)))
			},
			pod: "slow", want: v1beta1.DrainBlocker{Reason: v1beta1.BlockerTerminating},
			words: []string{foreignFinalizer}, column: "Terminating (1 pod)",
			lift: func(t *testing.T, p *pool) { p.dropFinalizers(t, "slow") },
		},
		"dead node": {
			start: func(t *testing.T, p *pool) {
				p.Run(t, p.workload().Pod("lost", localcluster.OnNode(p.Nodes[0]), localcluster.GracePeriod(1)))
				if err := p.Cluster.StopKubelet(t.Context(), p.Nodes[0]); err != nil {
					t.Fatal(err)
				}
				p.waitForNotReady(t, p.Nodes[0])
			},
			pod: "lost", want: v1beta1.DrainBlocker{Reason: v1beta1.BlockerTerminating, Object: "Node/NS-1"},
			words: []string{"node NS-1 does not report", "out-of-service"}, column: "Node NS-1 (1 pod)",
			lift: func(t *testing.T, p *pool) {
				if err := p.Cluster.StartKubelet(t.Context(), p.Nodes[0]); err != nil {
					t.Fatal(err)
				}
			},
		},
		"namespace that cannot end": {
			start: func(t *testing.T, p *pool) {
				p.Run(t, p.workload().Pod("kept", localcluster.OnNode(p.Nodes[0])))
				p.refuse(t, admissionregistrationv1.Delete, "pods", "no pod of this namespace is deleted")
				waitUntilRefused(t, "deletion", func(ctx context.Context) error {
					return p.Kube.CoreV1().Pods(p.Name).Delete(ctx, "kept", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
				})
				p.deleteNamespace(t)
			},
			pod: "kept", want: v1beta1.DrainBlocker{Reason: v1beta1.BlockerNamespaceTerminating, Object: "Namespace/NS"},
			words: []string{"namespace NS is being deleted"}, column: "Namespace NS (1 pod)",
			lift: func(t *testing.T, p *pool) { p.allow(t) },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.check(t)
		})
	}
}

// A pod elsewhere keeps the namespace from ending, and this node's pods from
// being evicted, but not from ending.
func TestNamespaceHeldElsewhereHindersNoDrain(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2)
	p.Run(t, p.workload().
		Pod("here", localcluster.OnNode(p.Nodes[0])).
		Pod("elsewhere", localcluster.OnNode(p.Nodes[1]), localcluster.GracePeriod(1), localcluster.Finalizer(foreignFinalizer)))
	t.Cleanup(func() { p.dropFinalizers(t, "elsewhere") })
	p.deleteNamespace(t)
	p.drain(t, "a", p.Nodes[0])
}

func (p *pool) deleteNamespace(t *testing.T) {
	t.Helper()
	if err := p.Kube.CoreV1().Namespaces().Delete(t.Context(), p.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatalf("could not delete namespace %s: %v", p.Name, err)
	}
}

func (p *pool) dropFinalizers(t *testing.T, pod string) {
	t.Helper()
	p.patchPod(t, pod, `{"metadata":{"finalizers":null}}`)
}

// waitForNotReady waits until the node lifecycle controller has given a node up.
func (p *pool) waitForNotReady(t *testing.T, name string) {
	t.Helper()
	env.Eventually(t, "node is not ready", func(context.Context) string {
		for _, c := range p.Node(t, name).Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
				return ""
			}
		}
		return "it is ready"
	})
}
