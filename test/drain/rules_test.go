// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// appRule is a rule for the pods of one app.
func appRule(app string, action v1beta1.DrainAction, order int32) v1beta1.DrainRule {
	return v1beta1.DrainRule{
		PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{localcluster.AppLabel: app}}, Action: action, Order: order,
	}
}

func TestPodsGoInTurns(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	const keeper = "example.com/keeper"
	p.Run(t, p.workload().
		Pod("first", localcluster.OnNode(node), localcluster.Finalizer(keeper)).
		Pod("web", localcluster.OnNode(node)).
		Pod("system", localcluster.OnNode(node), localcluster.PriorityClass("system-cluster-critical")).
		Pod("last", localcluster.OnNode(node)))
	hold := p.Hold("a", node)
	hold.Spec.Drain.Rules = []v1beta1.DrainRule{appRule("last", v1beta1.ActionDrain, 7), appRule("first", v1beta1.ActionDrain, -7)}
	p.Create(t, hold)
	p.waitForEvictions(t, 1)
	env.Always(t, quiet, "the next turn waits until the pods of this one are gone", func(context.Context) string {
		if apps := p.apps(t, node); apps["web"]+apps["system"]+apps["last"] < 3 {
			return "others were evicted"
		}
		return ""
	})
	p.patchPod(t, "first", `{"metadata":{"finalizers":null}}`)
	p.WaitForHold(t, hold.Name, "node drained", succeeded)
	evicted := p.evicted(t)
	for i, turn := range [][2]string{{"first", "web"}, {"web", "system"}, {"system", "last"}} {
		// A pod that was evicted takes a second to go.
		if between := evicted[turn[1]].asked.Sub(evicted[turn[0]].settled); between < 900*time.Millisecond {
			t.Errorf("turn %d: pod %s was evicted %s after pod %s, which was there still", i+1, turn[1], between, turn[0])
		}
	}
}

func TestPodsThatRulesAndLabelsKeep(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2)
	node := p.Nodes[0]
	p.Run(t, p.workload().
		Pod("kept", localcluster.OnNode(node)).
		Pod("labelled", localcluster.OnNode(node), localcluster.Label(v1beta1.DrainLabel, v1beta1.DrainLabelSkip)).
		Pod("job", localcluster.OnNode(node), localcluster.Label(v1beta1.DrainLabel, v1beta1.DrainLabelWaitCompleted), localcluster.CompleteAfter(3*time.Second)).
		Pod("web", localcluster.OnNode(node)))
	hold := p.Hold("a", node)
	hold.Spec.Drain.Rules = []v1beta1.DrainRule{
		appRule("kept", v1beta1.ActionSkip, 0), appRule("kept", v1beta1.ActionDrain, 0),
		appRule("labelled", v1beta1.ActionDrain, 0), appRule("job", v1beta1.ActionSkip, 0),
	}
	p.Create(t, hold)
	done := p.WaitForHold(t, hold.Name, "node drained", succeeded)
	if c := condition(done, v1beta1.ConditionDrained); c.Reason != v1beta1.ReasonSelectedPodsGone {
		t.Errorf("Drained for %s, want %s: pods were skipped", c.Reason, v1beta1.ReasonSelectedPodsGone)
	}
	p.wantApps(t, node, map[string]int{"kept": 1, "labelled": 1})
	if asked, ready := p.evicted(t)["job"].asked, 3*time.Second; asked.Sub(done.Status.StartTime.Time) < ready-2*time.Second {
		t.Errorf("the pod that was to complete was evicted %s after the drain began", asked.Sub(done.Status.StartTime.Time))
	}
	p.patch(t, hold.Name, `{"spec":{"drain":{"rules":null}}}`)
	env.Eventually(t, "without the rule the pod goes", func(context.Context) string {
		if p.apps(t, node)["kept"] > 0 {
			return "it is there"
		}
		return ""
	})
}

func TestRuleForNamespaces(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.Run(t, p.workload().Pod("web", localcluster.OnNode(node)))
	p.labelNamespace(t, `{"metadata":{"labels":{"team":"blue"}}}`)
	hold := p.Hold("a", node)
	hold.Spec.Drain.Rules = []v1beta1.DrainRule{{
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": "blue"}}, Action: v1beta1.ActionSkip,
	}}
	p.Create(t, hold)
	p.WaitForHold(t, hold.Name, "node drained of nothing", succeeded)
	p.wantApps(t, node, map[string]int{"web": 1})
	p.labelNamespace(t, `{"metadata":{"labels":{"team":"red"}}}`)
	env.Eventually(t, "the pod goes when its namespace is another team's", func(context.Context) string {
		if p.apps(t, node)["web"] > 0 {
			return "it is there"
		}
		return ""
	})
}

func (p *pool) labelNamespace(t *testing.T, patch string) {
	t.Helper()
	if _, err := p.Kube.CoreV1().Namespaces().Patch(t.Context(), p.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatalf("could not label the namespace: %v", err)
	}
}

func TestPodsThatSomebodyHasToRemove(t *testing.T) {
	t.Parallel()
	blocked := v1beta1.DrainSpec{UnmanagedPods: v1beta1.PolicyBlock, EmptyDirPods: v1beta1.PolicyBlock}
	tests := map[string]obstacle{
		"unmanaged": {
			start: func(t *testing.T, p *pool) { p.Run(t, p.workload().Pod("bare", localcluster.OnNode(p.Nodes[0]))) },
			drain: blocked, pod: "bare", want: v1beta1.DrainBlocker{Reason: v1beta1.BlockerUnmanagedPod, Permanent: true},
			words: []string{"no controller would create the pod again", "delete the pod"}, column: "UnmanagedPod",
			event: "no controller would create the pod again",
			lift:  func(t *testing.T, p *pool) { p.deletePod(t, "bare") },
		},
		"emptyDir": {
			start: func(t *testing.T, p *pool) {
				p.Run(t, p.workload().StatefulSet("cache", 1, localcluster.EmptyDir(), localcluster.OnNode(p.Nodes[0])))
			},
			drain: blocked, pod: "cache-0", want: v1beta1.DrainBlocker{Reason: v1beta1.BlockerEmptyDirPod, Permanent: true},
			words: []string{"emptyDir", "save them"}, column: "EmptyDirPod",
			lift: func(t *testing.T, p *pool) {
				p.patch(t, p.Name+"-a", `{"spec":{"drain":{"emptyDirPods":"Evict"}}}`)
				p.stopSet(t, "cache")
			},
		},
		"to be completed": {
			start: func(t *testing.T, p *pool) {
				p.Run(t, p.workload().StatefulSet("job", 1, localcluster.OnNode(p.Nodes[0])))
			},
			drain: v1beta1.DrainSpec{Rules: []v1beta1.DrainRule{appRule("job", v1beta1.ActionWaitCompleted, 0)}}, pod: "job-0",
			want:  v1beta1.DrainBlocker{Reason: v1beta1.BlockerWaitingForCompletion, Object: "StatefulSet/NS/job"},
			words: []string{"the pod runs to its end first (spec.drain.rules[0] of NS-a says WaitCompleted)"}, column: "StatefulSet NS/job (1 pod)",
			event: "the pod runs to its end first",
			lift:  func(t *testing.T, p *pool) { p.stopSet(t, "job"); p.finishPod(t, "job-0") },
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

// finishPod has a pod run to its end.
func (p *pool) finishPod(t *testing.T, name string) {
	t.Helper()
	_, err := p.Kube.CoreV1().Pods(p.Name).Patch(t.Context(), name, types.MergePatchType, []byte(`{"status":{"phase":"Succeeded"}}`), metav1.PatchOptions{}, "status")
	if err != nil {
		t.Fatalf("could not finish pod %s: %v", name, err)
	}
}
