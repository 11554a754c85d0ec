// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// namespaces are known with their labels.
type namespaces map[string]labels.Set

func (n namespaces) labelsOf(namespace string) (labels.Set, bool) {
	set, known := n[namespace]
	return set, known
}

func rules(rules ...v1beta1.DrainRule) func(*v1beta1.NodeMaintenance) {
	return func(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.Rules = rules }
}

func appRule(app string, action v1beta1.DrainAction, order int32) v1beta1.DrainRule {
	return v1beta1.DrainRule{PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}, Action: action, Order: order}
}

func teamRule(team string, action v1beta1.DrainAction) v1beta1.DrainRule {
	return v1beta1.DrainRule{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": team}}, Action: action}
}

func blocking(hold *v1beta1.NodeMaintenance) {
	hold.Spec.Drain.UnmanagedPods, hold.Spec.Drain.EmptyDirPods = v1beta1.PolicyBlock, v1beta1.PolicyBlock
}

func drainLabel(value string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Labels[v1beta1.DrainLabel] = value }
}

func priority(value int32) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Spec.Priority = &value }
}

func emptyDir(pod *corev1.Pod) {
	pod.Spec.Volumes = []corev1.Volume{{Name: "e", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
}

func TestTreatment(t *testing.T) {
	known := namespaces{"default": {"team": "blue"}}
	tests := map[string]struct {
		hold *v1beta1.NodeMaintenance
		pod  *corev1.Pod

		wantKind    kind
		wantTurn    turn
		wantWhy     string
		wantBlocker v1beta1.BlockerReason
	}{
		"plain":                       {hold: makeHold("a"), pod: makePod("p"), wantKind: evict},
		"system-critical":             {hold: makeHold("a"), pod: makePod("p", priority(2_000_001_000)), wantKind: evict, wantTurn: turn{critical: true}},
		"high, but not system":        {hold: makeHold("a"), pod: makePod("p", priority(1_000_000_000)), wantKind: evict},
		"not selected":                {hold: makeHold("a", selecting("db")), pod: makePod("p"), wantKind: leave, wantWhy: "spec.drain.podSelector of a does not select it"},
		"rule with an order":          {hold: makeHold("a", rules(appRule("web", v1beta1.ActionDrain, -3))), pod: makePod("p"), wantKind: evict, wantTurn: turn{order: -3}, wantWhy: "spec.drain.rules[0] of a says Drain"},
		"rule that skips":             {hold: makeHold("a", rules(appRule("web", v1beta1.ActionSkip, 0))), pod: makePod("p"), wantKind: leave, wantWhy: "spec.drain.rules[0] of a says Skip"},
		"the first rule counts":       {hold: makeHold("a", rules(appRule("db", v1beta1.ActionSkip, 0), appRule("web", v1beta1.ActionDrain, 1), appRule("web", v1beta1.ActionSkip, 0))), pod: makePod("p"), wantKind: evict, wantTurn: turn{order: 1}, wantWhy: "rules[1]"},
		"rule without selectors":      {hold: makeHold("a", rules(v1beta1.DrainRule{Action: v1beta1.ActionSkip})), pod: makePod("p"), wantKind: leave, wantWhy: "rules[0]"},
		"rule for the namespace":      {hold: makeHold("a", rules(teamRule("blue", v1beta1.ActionSkip))), pod: makePod("p"), wantKind: leave, wantWhy: "rules[0]"},
		"rule for another namespace":  {hold: makeHold("a", rules(teamRule("red", v1beta1.ActionSkip))), pod: makePod("p"), wantKind: evict},
		"namespace not known yet":     {hold: makeHold("a", rules(teamRule("red", v1beta1.ActionSkip))), pod: makePod("p", inNamespace("new")), wantKind: undecided, wantWhy: "namespace new is not known yet"},
		"both selectors must match":   {hold: makeHold("a", rules(v1beta1.DrainRule{PodSelector: appRule("db", "", 0).PodSelector, NamespaceSelector: teamRule("blue", "").NamespaceSelector, Action: v1beta1.ActionSkip})), pod: makePod("p"), wantKind: evict},
		"waits for its end":           {hold: makeHold("a", rules(appRule("web", v1beta1.ActionWaitCompleted, 0))), pod: makePod("p"), wantKind: waitCompleted, wantWhy: "rules[0]", wantBlocker: v1beta1.BlockerWaitingForCompletion},
		"has come to its end":         {hold: makeHold("a", rules(appRule("web", v1beta1.ActionWaitCompleted, 0))), pod: makePod("p", inPhase(corev1.PodSucceeded)), wantKind: evict, wantWhy: "rules[0]"},
		"label skip":                  {hold: makeHold("a", rules(appRule("web", v1beta1.ActionDrain, 1))), pod: makePod("p", drainLabel("skip")), wantKind: leave, wantWhy: "its label cluster.x-k8s.io/drain is skip"},
		"label wait-completed":        {hold: makeHold("a", rules(appRule("web", v1beta1.ActionSkip, 0))), pod: makePod("p", drainLabel("wait-completed")), wantKind: waitCompleted, wantWhy: "is wait-completed", wantBlocker: v1beta1.BlockerWaitingForCompletion},
		"label that says nothing":     {hold: makeHold("a"), pod: makePod("p", drainLabel("later")), wantKind: evict},
		"unmanaged":                   {hold: makeHold("a"), pod: makePod("p", bare), wantKind: evict},
		"unmanaged, blocked":          {hold: makeHold("a", blocking), pod: makePod("p", bare), wantKind: block, wantBlocker: v1beta1.BlockerUnmanagedPod},
		"unmanaged, but finished":     {hold: makeHold("a", blocking), pod: makePod("p", bare, inPhase(corev1.PodFailed)), wantKind: evict},
		"emptyDir":                    {hold: makeHold("a"), pod: makePod("p", emptyDir), wantKind: evict},
		"emptyDir, blocked":           {hold: makeHold("a", blocking), pod: makePod("p", emptyDir), wantKind: block, wantBlocker: v1beta1.BlockerEmptyDirPod},
		"neither":                     {hold: makeHold("a", blocking), pod: makePod("p"), wantKind: evict},
		"selector that is of no use":  {hold: makeHold("a", func(h *v1beta1.NodeMaintenance) { h.Spec.Drain.PodSelector = badSelector }), pod: makePod("p"), wantKind: leave, wantWhy: "does not select"},
		"rule that is of no use":      {hold: makeHold("a", rules(v1beta1.DrainRule{PodSelector: badSelector, Action: v1beta1.ActionDrain})), pod: makePod("p"), wantKind: leave, wantWhy: "does not select"},
		"stage in which nothing goes": {hold: makeHold("a", stage(v1beta1.StageCordon)), pod: makePod("p"), wantKind: leave, wantWhy: "does not select"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := newHold(test.hold).treats(test.pod, known)
			if got.kind != test.wantKind || got.turn != test.wantTurn || !strings.Contains(got.why, test.wantWhy) || (got.why == "") != (test.wantWhy == "") {
				t.Errorf("kind %d, turn %v, why %q; want %d, %v, %q", got.kind, got.turn, got.why, test.wantKind, test.wantTurn, test.wantWhy)
			}
			if (got.blocker == nil) != (test.wantBlocker == "") || (got.blocker != nil && got.blocker.Reason != test.wantBlocker) {
				t.Errorf("blocker %v, want %s", got.blocker, test.wantBlocker)
			}
		})
	}
}

var badSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "x", Operator: "?"}}}

// expired marks a hold as past its deadline, with what is left to be deleted.
func expired(h hold) hold {
	h.expired = true
	return h
}

func TestPlanForSeveralPods(t *testing.T) {
	type want struct {
		action v1beta1.PlannedAction
		turn   int
		now    bool
		grace  int64
	}
	evictNow := want{action: v1beta1.PlanEvict, turn: 1, now: true}
	stays := want{action: v1beta1.PlanStay}
	ordered := rules(appRule("first", v1beta1.ActionDrain, -1), appRule("last", v1beta1.ActionDrain, 1), appRule("job", v1beta1.ActionWaitCompleted, 0))
	tests := map[string]struct {
		holds []hold
		pods  []*corev1.Pod
		want  []want
		toGo  int
	}{
		"in turns": {
			holds: []hold{newHold(makeHold("a", ordered))},
			pods:  []*corev1.Pod{makePod("c", priority(systemCriticalPriority)), makePod("f", app("first")), makePod("l", app("last")), makePod("p")},
			want:  []want{{action: v1beta1.PlanEvict, turn: 3}, evictNow, {action: v1beta1.PlanEvict, turn: 4}, {action: v1beta1.PlanEvict, turn: 2}},
			toGo:  4,
		},
		"a turn lasts until its pods are gone": {
			holds: []hold{newHold(makeHold("a", ordered))},
			pods:  []*corev1.Pod{makePod("f", app("first"), terminatingAt(epoch)), makePod("p")},
			want:  []want{{action: v1beta1.PlanTerminating}, {action: v1beta1.PlanEvict, turn: 2}},
			toGo:  1,
		},
		"what runs to its end holds nobody back": {
			holds: []hold{newHold(makeHold("a", ordered))},
			pods:  []*corev1.Pod{makePod("j", app("job")), makePod("l", app("last"))},
			want:  []want{{action: v1beta1.PlanWaitCompleted}, evictNow},
			toGo:  1,
		},
		"what somebody has to remove holds back the later turns": {
			holds: []hold{newHold(makeHold("a", ordered, blocking))},
			pods:  []*corev1.Pod{makePod("b", bare), makePod("l", app("last")), makePod("p")},
			want:  []want{{action: v1beta1.PlanBlock}, {action: v1beta1.PlanEvict, turn: 2}, evictNow},
			toGo:  2,
		},
		"another hold adds and does not hold back": {
			holds: []hold{newHold(makeHold("a", ordered)), newHold(makeHold("b", rules(appRule("first", v1beta1.ActionSkip, 0))))},
			pods:  []*corev1.Pod{makePod("f", app("first")), makePod("j", app("job")), makePod("p")},
			want:  []want{evictNow, evictNow, evictNow},
			toGo:  3,
		},
		"all skip it": {
			holds: []hold{newHold(makeHold("a", rules(appRule("web", v1beta1.ActionSkip, 0)))), newHold(makeHold("b", selecting("db")))},
			pods:  []*corev1.Pod{makePod("p")},
			want:  []want{stays},
		},
		"past the deadline all goes at once": {
			holds: []hold{expired(newHold(makeHold("a", ordered, blocking, grace(7))))},
			pods:  []*corev1.Pod{makePod("b", bare), makePod("j", app("job")), makePod("l", app("last")), makePod("s", drainLabel("skip"))},
			want:  []want{{action: v1beta1.PlanBlock}, {action: v1beta1.PlanDelete, now: true, grace: 7}, {action: v1beta1.PlanDelete, turn: 2, now: true, grace: 7}, stays},
		},
		"past the deadline of one hold": {
			holds: []hold{expired(newHold(makeHold("a", selecting("db")))), newHold(makeHold("b"))},
			pods:  []*corev1.Pod{makePod("d", app("db"), gracePeriodOf(0)), makePod("p")},
			want:  []want{{action: v1beta1.PlanDelete, turn: 1, now: true, grace: 1}, evictNow},
			toGo:  1,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			drainable := sets.New[types.UID]()
			for _, pod := range test.pods {
				drainable.Insert(pod.UID)
			}
			plan := makePlan(planInput{node: testNode, pods: test.pods, drainable: drainable, holds: test.holds, namespaces: namespaces{}, budgets: makeBook(), now: epoch})
			evictions := map[string]eviction{}
			for _, e := range plan.evictions() {
				evictions[e.pod.Name] = e
			}
			for i, pod := range plan.pods {
				e, now := evictions[pod.pod.Name]
				got := want{action: pod.action, turn: pod.turn, now: now}
				if e.gracePeriod != nil {
					got.grace = *e.gracePeriod
				}
				if got != test.want[i] {
					t.Errorf("pod %s: %+v, want %+v", pod.pod.Name, got, test.want[i])
				}
				if now && e.force != (pod.action == v1beta1.PlanDelete) {
					t.Errorf("pod %s is deleted: %t", pod.pod.Name, e.force)
				}
			}
			if got := plan.toGo(); got != test.toGo {
				t.Errorf("%d to go, want %d", got, test.toGo)
			}
		})
	}
}

// Blockers are each hold's own: what one waits for is nothing to another that does not.
func TestBlockersOfEachHold(t *testing.T) {
	pods := []*corev1.Pod{makePod("bare", bare), makePod("job", app("job")), makePod("last", app("last")), makePod("web")}
	drainable := sets.New[types.UID]()
	for _, pod := range pods {
		drainable.Insert(pod.UID)
	}
	holds := []hold{
		newHold(makeHold("a")),
		newHold(makeHold("b", blocking, rules(appRule("job", v1beta1.ActionWaitCompleted, 0), appRule("last", v1beta1.ActionDrain, 1)))),
	}
	plan := makePlan(planInput{
		node: testNode, pods: pods, drainable: drainable, holds: holds, now: epoch,
		budgets: makeBook(makeBudget("x", "last", 1, 1, 1, 0), makeBudget("y", "web", 2, 2, 3, 0)),
	})
	want := map[string]string{
		"a": "default/bare:DisruptionBudget default/last:DisruptionBudget default/web:DisruptionBudget",
		"b": "default/bare:UnmanagedPod default/job:WaitingForCompletion default/web:DisruptionBudget",
	}
	for _, h := range holds {
		f, _ := plan.factsFor(h)
		var got []string
		for _, b := range f.blockers {
			got = append(got, b.Pod+":"+string(b.Reason))
		}
		if joined := strings.Join(got, " "); joined != want[h.Name] {
			t.Errorf("hold %s is blocked by %s, want %s", h.Name, joined, want[h.Name])
		}
	}
}
