// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"fmt"
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
		Pod("job", localcluster.OnNode(node), localcluster.Label(v1beta1.DrainLabel, v1beta1.DrainLabelWaitCompleted)).
		Pod("web", localcluster.OnNode(node)))
	hold := p.Hold("a", node)
	hold.Spec.Drain.Rules = []v1beta1.DrainRule{
		appRule("kept", v1beta1.ActionSkip, 0), appRule("kept", v1beta1.ActionDrain, 0),
		appRule("labelled", v1beta1.ActionDrain, 0), appRule("job", v1beta1.ActionSkip, 0),
	}
	p.Create(t, hold)
	waiting := obstacle{
		pod: "job", want: v1beta1.DrainBlocker{Reason: v1beta1.BlockerWaitingForCompletion},
		words: []string{"its label cluster.x-k8s.io/drain is wait-completed"},
	}
	p.WaitForHold(t, hold.Name, "only the pod that is to complete is left to go", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.PendingPodCount == 1 && waiting.wrong(p, nm) == ""
	})
	p.wantApps(t, node, map[string]int{"kept": 1, "labelled": 1, "job": 1})
	p.finishPod(t, "job")
	done := p.WaitForHold(t, hold.Name, "node drained", succeeded)
	if c := condition(done, v1beta1.ConditionDrained); c.Reason != v1beta1.ReasonSelectedPodsGone {
		t.Errorf("Drained for %s, want %s: pods were skipped", c.Reason, v1beta1.ReasonSelectedPodsGone)
	}
	p.wantApps(t, node, map[string]int{"kept": 1, "labelled": 1})

	p.patch(t, hold.Name, `{"spec":{"drain":{"rules":null}}}`)
	p.waitUntilGone(t, node, "kept")
	p.WaitForHold(t, hold.Name, "node drained again", func(nm *v1beta1.NodeMaintenance) bool {
		return succeeded(nm) && nm.Status.ObservedGeneration == nm.Generation
	})
	p.wantApps(t, node, map[string]int{"labelled": 1})
	p.patchPod(t, "labelled", `{"metadata":{"labels":{"`+v1beta1.DrainLabel+`":null}}}`)
	p.waitUntilGone(t, node, "labelled")
}

// waitUntilGone waits until an app has left the node.
func (p *pool) waitUntilGone(t *testing.T, node, app string) {
	t.Helper()
	env.Eventually(t, "pod "+app+" goes", func(context.Context) string {
		if p.apps(t, node)[app] > 0 {
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
	p.waitUntilGone(t, node, "web")
}

func (p *pool) labelNamespace(t *testing.T, patch string) {
	t.Helper()
	if _, err := p.Kube.CoreV1().Namespaces().Patch(t.Context(), p.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatalf("could not label the namespace: %v", err)
	}
}

// A Job has done its work when its pod has run to its end, and starts no other.
func TestJobRunsToItsEndFirst(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2)
	node := p.Nodes[0]
	p.runOn(t, node, p.workload().Job("batch", 1, p.Selector()))
	pods, err := p.PodsOn(t.Context(), node)
	if err != nil || len(pods) != 1 {
		t.Fatalf("on the node are %d pods, %v; want that of the Job", len(pods), err)
	}
	job := pods[0].Name
	hold := p.Hold("a", node)
	hold.Spec.Drain.Rules = []v1beta1.DrainRule{appRule("batch", v1beta1.ActionWaitCompleted, 0)}
	p.Create(t, hold)
	waits := obstacle{
		pod: job, want: v1beta1.DrainBlocker{Reason: v1beta1.BlockerWaitingForCompletion, Object: "Job/NS/batch"},
		words: []string{"the pod runs to completion first (spec.drain.rules[0] of NS-a says WaitCompleted)"}, column: "Job NS/batch (1 pod)",
	}
	p.WaitForHold(t, hold.Name, "drain waits for the Job", func(nm *v1beta1.NodeMaintenance) bool { return waits.wrong(p, nm) == "" })
	waits.checkTerminal(t, p, hold.Name)
	p.staysOn(t, node, "batch")

	p.finishPod(t, job)
	p.WaitForHold(t, hold.Name, "node drained", succeeded)
	p.wantApps(t, node, map[string]int{})
	env.Eventually(t, "the Job is complete", func(ctx context.Context) string {
		batch, err := p.Kube.BatchV1().Jobs(p.Name).Get(ctx, "batch", metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if batch.Status.CompletionTime == nil || batch.Status.Failed > 0 {
			return fmt.Sprintf("status %+v", batch.Status)
		}
		return ""
	})
}

// finishPod has a pod run to its end.
func (p *pool) finishPod(t *testing.T, name string) {
	t.Helper()
	_, err := p.Kube.CoreV1().Pods(p.Name).Patch(t.Context(), name, types.MergePatchType, []byte(`{"status":{"phase":"Succeeded"}}`), metav1.PatchOptions{}, "status")
	if err != nil {
		t.Fatalf("could not finish pod %s: %v", name, err)
	}
}
