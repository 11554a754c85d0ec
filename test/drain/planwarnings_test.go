// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// wantWarnings checks that kubectl succeeded and printed each of the warnings.
func wantWarnings(t *testing.T, out env.Output, want ...string) {
	t.Helper()
	if out.Code != 0 {
		t.Fatalf("exit code %d:\n%s", out.Code, out.Stderr)
	}
	for _, warning := range want {
		if !strings.Contains(out.Stderr, "Warning: "+warning) {
			t.Errorf("there is no warning that %s:\n%s", warning, out.Stderr)
		}
	}
}

// Block of one hold is no protection from another. Whoever creates the second one is told, either way.
func TestBlockDoesNotProtectFromAnotherHold(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2)
	blocked, evicted := p.Nodes[0], p.Nodes[1]
	p.Run(t, p.workload().
		Pod("alone", localcluster.OnNode(blocked)).
		Pod("stuck", localcluster.OnNode(evicted)).Budget("stuck", localcluster.MinAvailable("1")))
	blocking := func(suffix, node string) *v1beta1.NodeMaintenance {
		hold := p.Hold(suffix, node)
		hold.Spec.Drain.UnmanagedPods = v1beta1.PolicyBlock
		return hold
	}
	first, second := p.Create(t, blocking("a", blocked)), p.Create(t, p.Hold("b", evicted))
	for _, hold := range []*v1beta1.NodeMaintenance{first, second} {
		p.WaitForHold(t, hold.Name, "pod blocked", func(nm *v1beta1.NodeMaintenance) bool { return len(nm.Status.Blockers) == 1 })
	}

	evicting := p.Hold("c", blocked)
	wantWarnings(t, p.Kubectl().Try(t, manifest(t, evicting), "create", "-f", "-", "--dry-run=server"),
		fmt.Sprintf("hold %q of %q blocks pods of node %q that this hold evicts all the same: 1 (%s/alone)", first.Name, first.Spec.Requestor, blocked, p.Name))
	planned := p.dryRun(t, evicting).Pods[0]
	if want := fmt.Sprintf("hold %q of %q evicts it, although hold %q of %q says unmanagedPods: Block; no controller creates it again",
		evicting.Name, first.Spec.Requestor, first.Name, first.Spec.Requestor); planned.Message != want {
		t.Errorf("the plan says %q, want %q", planned.Message, want)
	}
	wantWarnings(t, p.Kubectl().Try(t, manifest(t, blocking("d", evicted)), "create", "-f", "-", "--dry-run=server"),
		fmt.Sprintf("Block of this hold does not protect pods from hold %q of %q, which evicts them from node %q: 1 (%s/stuck)",
			second.Name, second.Spec.Requestor, evicted, p.Name))
}

// A budget that can never be met is called that at once, by a create and by its plan.
func TestCreateWarnsOfPodsThatCannotLeave(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2)
	p.Run(t, p.trio().Budget("db", localcluster.MinAvailable("3")))
	hold := p.Hold("a", p.Nodes[0])
	plan := p.dryRun(t, hold)
	if plan.PermanentlyBlockedPodCount != 1 || !strings.Contains(plan.Pods[0].Blocker.Message, "no more than 3 are expected: add replicas") {
		t.Errorf("%d pods are blocked for good, want 1; blocker %+v", plan.PermanentlyBlockedPodCount, plan.Pods[0].Blocker)
	}
	wantWarnings(t, p.Kubectl().Try(t, manifest(t, hold), "create", "-f", "-"),
		fmt.Sprintf("pods of node %q cannot leave it, however long you wait: 1 (%s/db-1); status.blockers says why, and what to do", hold.Spec.NodeName, p.Name))
}

// What pods ask autoscalers for, a drain heeds only where a rule says so.
func TestRuleByAnnotation(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.Run(t, p.workload().
		Pod("karpenter", localcluster.OnNode(node), localcluster.Annotation("karpenter.sh/do-not-disrupt", "true")).
		Pod("scaler", localcluster.OnNode(node), localcluster.Annotation("cluster-autoscaler.kubernetes.io/safe-to-evict", "false")).
		Pod("typo", localcluster.OnNode(node), localcluster.Label(v1beta1.DrainLabel, "skp")))
	hold := p.Hold("a", node)
	wantWarnings(t, p.Kubectl().Try(t, manifest(t, hold), "create", "-f", "-", "--dry-run=server"),
		fmt.Sprintf("pods of node %q are evicted although their annotations ask not to disrupt them: 2 (%s/karpenter, %s/scaler); "+
			"to leave them on the node, add a rule with podAnnotations and the action Skip", node, p.Name, p.Name),
		fmt.Sprintf("pods of node %q are evicted although they have the label cluster.x-k8s.io/drain, whose value means nothing: 1 (%s/typo); "+
			"use skip or wait-completed", node, p.Name))

	hold.Spec.Drain.Rules = []v1beta1.DrainRule{
		{PodAnnotations: map[string]string{"karpenter.sh/do-not-disrupt": "true"}, Action: v1beta1.ActionSkip},
		{PodAnnotations: map[string]string{"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}, Action: v1beta1.ActionDrain},
	}
	out := p.Kubectl().Try(t, manifest(t, hold), "create", "-f", "-")
	wantWarnings(t, out)
	if strings.Contains(out.Stderr, "annotations") {
		t.Errorf("warned of what rules decide:\n%s", out.Stderr)
	}
	p.WaitForHold(t, hold.Name, "node drained", succeeded)
	p.wantApps(t, node, map[string]int{"karpenter": 1})
}

// A change of a hold answers as a create does: with the plan in a dry run, with warnings always.
func TestPlanOfAChange(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.Run(t, p.workload().Pod("bare", localcluster.OnNode(node)))
	hold := p.Hold("a", node)
	hold.Spec.Stage = v1beta1.StageCordon
	p.Create(t, hold)
	warning := fmt.Sprintf("pods of node %q that no controller creates again are evicted: 1 (%s/bare)", node, p.Name)

	patch := []string{"patch", "nm", hold.Name, "--type=merge", "-p", `{"spec":{"stage":"Drain"}}`}
	dry := p.Kubectl().Try(t, "", append(patch, "--dry-run=server", "-o", "json")...)
	wantWarnings(t, dry, warning)
	answer := &v1beta1.NodeMaintenance{}
	if err := json.Unmarshal([]byte(dry.Stdout), answer); err != nil {
		t.Fatal(err)
	}
	if answer.Status.Plan == nil || answer.Status.Plan.EvictionPods != 1 {
		t.Errorf("a dry run of a patch answers with the plan %v", answer.Status.Plan)
	}
	p.wantApps(t, node, map[string]int{"bare": 1})
	wantWarnings(t, p.Kubectl().Try(t, "", patch...), warning)
	if done := p.WaitForHold(t, hold.Name, "node drained", succeeded); done.Status.Plan != nil {
		t.Error("a plan was stored")
	}
}
