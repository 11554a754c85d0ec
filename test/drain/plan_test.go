// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// manifest is what kubectl is given to create the hold.
func manifest(t *testing.T, nm *v1beta1.NodeMaintenance) string {
	t.Helper()
	nm.APIVersion, nm.Kind = v1beta1.SchemeGroupVersion.String(), "NodeMaintenance"
	text, err := yaml.Marshal(nm)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// dryRun asks through kubectl what a drain would do.
func (p *pool) dryRun(t *testing.T, nm *v1beta1.NodeMaintenance) *v1beta1.DrainPlanStatus {
	t.Helper()
	out := p.Kubectl().Must(t, manifest(t, nm), "create", "-f", "-", "--dry-run=server", "-o", "json")
	answer := &v1beta1.NodeMaintenance{}
	if err := json.Unmarshal([]byte(out), answer); err != nil {
		t.Fatal(err)
	}
	if answer.Status.Plan == nil {
		t.Fatalf("the answer has no plan:\n%s", out)
	}
	return answer.Status.Plan
}

// summary has a line for each pod of a plan, by app: its names are not known before.
func (p *pool) summary(t *testing.T, plan *v1beta1.DrainPlanStatus) []string {
	t.Helper()
	lines := make([]string, 0, len(plan.Pods))
	for _, pod := range plan.Pods {
		found, err := p.pod(t.Context(), strings.TrimPrefix(pod.Pod, p.Name+"/"))
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%s %s %d", found.Labels[localcluster.AppLabel], pod.Action, pod.Turn)
		if pod.Blocker != nil {
			line += " " + string(pod.Blocker.Reason)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// What the plan says is what is done.
func TestPlanThenDrain(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2)
	node := p.Nodes[0]
	p.runOn(t, node, p.workload().
		DaemonSet("agent", p.Selector()).
		Deployment("web", 3, p.Selector()).Budget("web", localcluster.MaxUnavailable("1")).
		Pod("never", localcluster.OnNode(node)).Budget("never", localcluster.MinAvailable("1")).
		Pod("last", localcluster.OnNode(node), localcluster.EmptyDir()).
		Pod("skipped", localcluster.OnNode(node)).
		Pod("job", localcluster.OnNode(node)))
	hold := p.Hold("a", node)
	hold.Spec.Drain.Rules = []v1beta1.DrainRule{
		appRule("last", v1beta1.ActionDrain, 1), appRule("skipped", v1beta1.ActionSkip, 0), appRule("job", v1beta1.ActionWaitCompleted, 0),
	}
	plan := p.dryRun(t, hold)
	want := []string{
		"agent Stay 0", "job WaitCompleted 0 WaitingForCompletion", "last Evict 2", "never Evict 1 DisruptionBudget", "skipped Stay 0",
		"web Evict 1", "web Evict 1 DisruptionBudget", "web Evict 1 DisruptionBudget",
	}
	if got := p.summary(t, plan); !slices.Equal(got, want) {
		t.Errorf("the plan is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if plan.EvictionPods != 6 || plan.BlockedPodCount != 4 || len(plan.UnmanagedPods) != 2 || len(plan.EmptyDirPods) != 1 {
		t.Errorf("the plan counts %d to evict, %d blocked, unmanaged %v, emptyDir %v", plan.EvictionPods, plan.BlockedPodCount, plan.UnmanagedPods, plan.EmptyDirPods)
	}
	if marks := marksOn(p.Node(t, node)); len(marks) > 0 || len(p.evictions(t)) > 0 {
		t.Errorf("a dry run left %v and %d evictions", marks, len(p.evictions(t)))
	}
	if out := p.Kubectl().Try(t, "", "get", "nm", hold.Name); out.Code == 0 {
		t.Errorf("a dry run was stored:\n%s", out.Stdout)
	}

	created := p.Create(t, hold)
	if created.Status.Plan != nil {
		t.Error("a create that is stored answers with a plan")
	}
	p.WaitForHold(t, hold.Name, "all gone that may go", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.PendingPodCount == 3 && len(nm.Status.Blockers) == 2
	})
	p.deleteBudget(t, "never")
	p.deletePod(t, "job")
	done := p.WaitForHold(t, hold.Name, "node drained", succeeded)
	if done.Status.EvictionPods != plan.EvictionPods {
		t.Errorf("the drain moved %d pods, planned %d", done.Status.EvictionPods, plan.EvictionPods)
	}
	p.wantApps(t, node, map[string]int{"agent": 1, "skipped": 1})
	p.wantDoneAs(t, plan)
}

// wantDoneAs checks that the pods that were evicted are those that the plan says,
// turn by turn, and first the one that nothing blocked.
func (p *pool) wantDoneAs(t *testing.T, plan *v1beta1.DrainPlanStatus) {
	t.Helper()
	var turns, wantTurns []int32
	planned := map[string]v1beta1.PlannedPod{}
	for _, pod := range plan.Pods {
		if pod.Action == v1beta1.PlanEvict {
			planned[strings.TrimPrefix(pod.Pod, p.Name+"/")] = pod
			wantTurns = append(wantTurns, pod.Turn)
		}
	}
	for _, e := range p.evictions(t) {
		pod := planned[e.pod]
		if len(turns) == 0 && pod.Blocker != nil {
			t.Errorf("pod %s was evicted first, of which the plan said %q", e.pod, pod.Blocker.Message)
		}
		turns = append(turns, pod.Turn)
	}
	if !slices.Equal(turns, wantTurns) {
		t.Errorf("the turns of the evicted pods were %v, planned %v", turns, wantTurns)
	}
}
