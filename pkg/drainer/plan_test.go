// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestPlanForOnePod(t *testing.T) {
	steady := epoch.Add(budgetSteady)
	tried := func(o outcome, message string) attempt {
		return attempt{last: verdict{outcome: o, object: "webhook/w", message: message}, failures: 1}
	}
	tests := map[string]struct {
		pod     *corev1.Pod
		stays   bool
		holds   []*v1beta1.NodeMaintenance
		budgets []*policyv1.PodDisruptionBudget
		attempt attempt
		ownPod  types.NamespacedName
		dead    bool
		now     time.Time

		wantAction    v1beta1.PlannedAction
		wantReason    v1beta1.BlockerReason
		wantObject    string
		wantPermanent bool
		wantMessage   string
		wantRecheck   time.Time
	}{
		"free to go":                {pod: makePod("p"), wantAction: v1beta1.PlanEvict},
		"a drain leaves it":         {pod: makePod("p"), stays: true, wantAction: v1beta1.PlanStay},
		"no hold selects it":        {pod: makePod("p"), holds: []*v1beta1.NodeMaintenance{makeHold("a", selecting("db"))}, wantAction: v1beta1.PlanStay},
		"the hold only cordons":     {pod: makePod("p"), holds: []*v1beta1.NodeMaintenance{makeHold("a", stage(v1beta1.StageCordon))}, wantAction: v1beta1.PlanStay},
		"no room, perhaps for good": {pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 3, 3, 3, 0)}, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget, wantObject: "PodDisruptionBudget/default/b", wantMessage: "needs 3 healthy pods and has 3", wantRecheck: steady},
		"no room for good": {
			pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 3, 3, 3, 0)}, now: steady, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget, wantObject: "PodDisruptionBudget/default/b",
			wantPermanent: true, wantMessage: "needs 3 healthy pods, and no more than 3 are expected",
		},
		"budget that counts nobody": {
			pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 0, 0, 0, 0)}, now: steady, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b", wantPermanent: true, wantMessage: "counts no pods",
		},
		"no room for now": {
			pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 2, 2, 3, 0)}, now: steady, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b", wantMessage: "needs 2 healthy pods and has 2",
		},
		"one eviction at a time": {
			pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 2, 3, 3, 0)}, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b", wantMessage: "needs 2 healthy pods and has 3, but others of its pods are being evicted",
		},
		"several have to become healthy": {
			pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 2, 1, 3, 0)}, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b", wantMessage: "needs 2 healthy pods and has 1: the pod is evicted when 2 more become healthy",
		},
		"not healthy itself": {
			pod: makePod("p", notReady), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 1, 0, 3, 0)}, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b", wantMessage: "needs 1 healthy pod and has 0: the pod is evicted when another one becomes healthy",
		},
		"budget that cannot be evaluated": {
			pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 1, 1, 3, 0, syncFailed)}, now: steady, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b", wantPermanent: true, wantMessage: "no scale subresource",
		},
		"budget with a new spec": {
			pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 1, 1, 3, 0, behind)}, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b", wantMessage: "still being evaluated",
		},
		"two budgets": {
			pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 1, 3, 3, 2), makeBudget("c", "web", 1, 3, 3, 2)}, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerMultipleDisruptionBudgets,
			wantObject: "PodDisruptionBudget/default/b,PodDisruptionBudget/default/c", wantPermanent: true, wantMessage: "2 budgets select the pod (b, c)",
		},
		"webhook":               {pod: makePod("p"), attempt: tried(outcomeAdmissionWebhook, "no"), wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerAdmissionWebhook, wantObject: "webhook/w", wantMessage: "no"},
		"throttled":             {pod: makePod("p"), attempt: tried(outcomeThrottled, "slow"), wantAction: v1beta1.PlanEvict},
		"namespace terminating": {pod: makePod("p"), attempt: tried(outcomeNamespaceTerminating, "x"), wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerNamespaceTerminating, wantObject: "Namespace/default", wantMessage: "default is being deleted"},
		"refused by a budget that lets it go by now": {pod: makePod("p"), attempt: attempt{last: verdict{outcome: outcomeDisruptionBudget}}, wantAction: v1beta1.PlanEvict},
		"refused by a budget that we do not see":     {pod: makePod("p"), attempt: tried(outcomeDisruptionBudget, "no room"), wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget, wantObject: "webhook/w", wantMessage: "no room"},
		"failed":                                     {pod: makePod("p"), attempt: tried(outcomeFailed, "boom"), wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerEvictionFailed, wantObject: "webhook/w", wantMessage: "boom"},
		"own pod":                                    {pod: makePod("p"), ownPod: types.NamespacedName{Namespace: "default", Name: "p"}, wantAction: v1beta1.PlanBlock, wantReason: v1beta1.BlockerOwnPod, wantPermanent: true, wantMessage: "have it run on another node first"},
		"own pod, going anyway":                      {pod: makePod("p", terminatingAt(epoch.Add(time.Hour))), ownPod: types.NamespacedName{Namespace: "default", Name: "p"}, wantAction: v1beta1.PlanTerminating, wantRecheck: epoch.Add(time.Hour + terminationLag)},
		"terminating":                                {pod: makePod("p", terminatingAt(epoch)), wantAction: v1beta1.PlanTerminating, wantRecheck: epoch.Add(terminationLag)},
		"terminating for too long": {
			pod: makePod("p", terminatingAt(epoch)), now: epoch.Add(terminationLag), wantAction: v1beta1.PlanTerminating, wantReason: v1beta1.BlockerTerminating, wantMessage: "the kubelet has not ended it",
		},
		"kept by finalizers": {
			pod: makePod("p", terminatingAt(epoch), finalized("example.com/keep")), now: epoch.Add(terminationLag), dead: true,
			wantAction: v1beta1.PlanTerminating, wantReason: v1beta1.BlockerTerminating, wantMessage: "example.com/keep",
		},
		"on a dead node": {
			pod: makePod("p", terminatingAt(epoch)), now: epoch.Add(time.Minute), dead: true,
			wantAction: v1beta1.PlanTerminating, wantReason: v1beta1.BlockerTerminating, wantObject: "Node/worker-1", wantMessage: "node worker-1 does not report",
		},
		"evicted, and the watch lags": {pod: makePod("p"), attempt: attempt{evicted: epoch}, wantAction: v1beta1.PlanTerminating, wantRecheck: epoch.Add(deletionLag)},
		"evicted, but not deleted": {
			pod: makePod("p"), attempt: attempt{evicted: epoch}, now: epoch.Add(deletionLag), wantAction: v1beta1.PlanTerminating, wantReason: v1beta1.BlockerTerminating, wantMessage: "not being deleted",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := planInput{
				node: testNode, nodeDead: test.dead, pods: []*corev1.Pod{test.pod}, drainable: sets.New[types.UID](),
				budgets: makeBook(test.budgets...), attempts: map[types.UID]attempt{test.pod.UID: test.attempt}, ownPod: test.ownPod, now: test.now,
			}
			if !test.stays {
				in.drainable.Insert(test.pod.UID)
			}
			if in.now.IsZero() {
				in.now = epoch
			}
			if test.holds == nil {
				test.holds = []*v1beta1.NodeMaintenance{makeHold("a")}
			}
			in.holds, _ = newHolds(test.holds)
			plan := makePlan(in)
			got := plan.pods[0]
			if got.action != test.wantAction || !plan.recheck.Equal(test.wantRecheck) {
				t.Errorf("%s, again at %v; want %s, again at %v", got.action, plan.recheck, test.wantAction, test.wantRecheck)
			}
			if evictions := plan.evictions(); (len(evictions) == 1) != (test.wantAction == v1beta1.PlanEvict) {
				t.Errorf("evictions %v", evictions)
			}
			if got.blocker == nil {
				got.blocker = &v1beta1.DrainBlocker{Pod: "default/p"}
			}
			if b := got.blocker; b.Pod != "default/p" || b.Reason != test.wantReason || b.Object != test.wantObject || b.Permanent != test.wantPermanent || !strings.Contains(b.Message, test.wantMessage) {
				t.Errorf("blocker %+v, want %s of %s (permanent: %t) with %q", b, test.wantReason, test.wantObject, test.wantPermanent, test.wantMessage)
			}
		})
	}
}

// Of several pods of one budget only as many are free to go as the budget lets go together.
func TestPlanCountsABudgetsPodsTogether(t *testing.T) {
	pods := []*corev1.Pod{
		makePod("a"), makePod("b", notReady), makePod("c"), makePod("d", terminatingAt(epoch.Add(time.Hour))), makePod("e"), makePod("f", app("free")),
	}
	drainable := sets.New[types.UID]()
	for _, pod := range pods {
		drainable.Insert(pod.UID)
	}
	holds, _ := newHolds([]*v1beta1.NodeMaintenance{makeHold("x", grace(5))})
	plan := makePlan(planInput{
		node: testNode, pods: pods, drainable: drainable, holds: holds, now: epoch,
		budgets: makeBook(makeBudget("b", "web", 2, 4, 5, 2)),
	})
	for i, wantBlocked := range []bool{false, false, false, false, true, false} {
		if blocked := plan.pods[i].blocker != nil; blocked != wantBlocked {
			t.Errorf("pod %s is blocked: %t, want %t", pods[i].Name, blocked, wantBlocked)
		}
	}
	for _, e := range plan.evictions() {
		if e.gracePeriod == nil || *e.gracePeriod != 5 {
			t.Errorf("pod %s gets %v seconds, want 5", e.pod.Name, e.gracePeriod)
		}
	}
}
