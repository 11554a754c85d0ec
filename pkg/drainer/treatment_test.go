// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// namespaces are known with their labels.
type namespaces map[string]labels.Set

func (n namespaces) labelsOf(namespace string) (labels.Set, bool) {
	set, known := n[namespace]
	return set, known
}

func teamRule(team string, action v1beta1.DrainAction) v1beta1.DrainRule {
	return v1beta1.DrainRule{
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": team}}, Action: action,
	}
}

func TestTreatment(t *testing.T) {
	known := namespaces{"default": {"team": "blue"}}
	tests := map[string]struct {
		hold drainertest.Hold
		pod  drainertest.Pod

		wantKind    kind
		wantTurn    turn
		wantWhy     string
		wantBlocker v1beta1.BlockerReason
	}{
		"plain": {
			hold: drainertest.Hold{Name: "a"}, pod: drainertest.Pod{Name: "p"}, wantKind: evict,
		},
		"system-critical": {
			hold: drainertest.Hold{Name: "a"},
			pod:  drainertest.Pod{Name: "p", Priority: ptr.To[int32](2_000_001_000)}, wantKind: evict,
			wantTurn: turn{critical: true},
		},
		"high, but not system": {
			hold: drainertest.Hold{Name: "a"},
			pod:  drainertest.Pod{Name: "p", Priority: ptr.To[int32](1_000_000_000)}, wantKind: evict,
		},
		"not selected": {
			hold: drainertest.Hold{Name: "a", SelectApp: "db"}, pod: drainertest.Pod{Name: "p"}, wantKind: leave,
			wantWhy: "spec.drain.podSelector of a does not select it",
		},
		"rule with an order": {
			hold: drainertest.Hold{
				Name: "a", Rules: []v1beta1.DrainRule{drainertest.AppRule("web", v1beta1.ActionDrain, -3)},
			},
			pod: drainertest.Pod{Name: "p"}, wantKind: evict, wantTurn: turn{order: -3},
			wantWhy: "spec.drain.rules[0] of a says Drain",
		},
		"rule that skips": {
			hold: drainertest.Hold{
				Name: "a", Rules: []v1beta1.DrainRule{drainertest.AppRule("web", v1beta1.ActionSkip, 0)},
			},
			pod: drainertest.Pod{Name: "p"}, wantKind: leave, wantWhy: "spec.drain.rules[0] of a says Skip",
		},
		"the first rule counts": {
			hold: drainertest.Hold{
				Name: "a",
				Rules: []v1beta1.DrainRule{
					drainertest.AppRule("db", v1beta1.ActionSkip, 0),
					drainertest.AppRule("web", v1beta1.ActionDrain, 1),
					drainertest.AppRule("web", v1beta1.ActionSkip, 0),
				},
			},
			pod: drainertest.Pod{Name: "p"}, wantKind: evict, wantTurn: turn{order: 1}, wantWhy: "rules[1]",
		},
		"rule without selectors": {
			hold: drainertest.Hold{
				Name: "a", Rules: []v1beta1.DrainRule{v1beta1.DrainRule{Action: v1beta1.ActionSkip}},
			},
			pod: drainertest.Pod{Name: "p"}, wantKind: leave, wantWhy: "rules[0]",
		},
		"rule for the namespace": {
			hold: drainertest.Hold{Name: "a", Rules: []v1beta1.DrainRule{teamRule("blue", v1beta1.ActionSkip)}},
			pod:  drainertest.Pod{Name: "p"}, wantKind: leave, wantWhy: "rules[0]",
		},
		"rule for another namespace": {
			hold: drainertest.Hold{Name: "a", Rules: []v1beta1.DrainRule{teamRule("red", v1beta1.ActionSkip)}},
			pod:  drainertest.Pod{Name: "p"}, wantKind: evict,
		},
		"namespace not known yet": {
			hold: drainertest.Hold{Name: "a", Rules: []v1beta1.DrainRule{teamRule("red", v1beta1.ActionSkip)}},
			pod:  drainertest.Pod{Name: "p", Namespace: "new"}, wantKind: undecided,
			wantWhy: "namespace new is not known yet",
		},
		"both selectors must match": {
			hold: drainertest.Hold{
				Name: "a",
				Rules: []v1beta1.DrainRule{v1beta1.DrainRule{
					PodSelector:       drainertest.AppRule("db", "", 0).PodSelector,
					NamespaceSelector: teamRule("blue", "").NamespaceSelector, Action: v1beta1.ActionSkip,
				}},
			},
			pod: drainertest.Pod{Name: "p"}, wantKind: evict,
		},
		"waits for its end": {
			hold: drainertest.Hold{
				Name: "a", Rules: []v1beta1.DrainRule{drainertest.AppRule("web", v1beta1.ActionWaitCompleted, 0)},
			},
			pod: drainertest.Pod{Name: "p"}, wantKind: waitCompleted, wantWhy: "rules[0]",
			wantBlocker: v1beta1.BlockerWaitingForCompletion,
		},
		"has come to its end": {
			hold: drainertest.Hold{
				Name: "a", Rules: []v1beta1.DrainRule{drainertest.AppRule("web", v1beta1.ActionWaitCompleted, 0)},
			},
			pod: drainertest.Pod{Name: "p", Phase: corev1.PodSucceeded}, wantKind: evict, wantWhy: "rules[0]",
		},
		"label skip": {
			hold: drainertest.Hold{
				Name: "a", Rules: []v1beta1.DrainRule{drainertest.AppRule("web", v1beta1.ActionDrain, 1)},
			},
			pod: drainertest.Pod{Name: "p", DrainLabel: "skip"}, wantKind: leave,
			wantWhy: "its label cluster.x-k8s.io/drain is skip",
		},
		"label wait-completed": {
			hold: drainertest.Hold{
				Name: "a", Rules: []v1beta1.DrainRule{drainertest.AppRule("web", v1beta1.ActionSkip, 0)},
			},
			pod: drainertest.Pod{Name: "p", DrainLabel: "wait-completed"}, wantKind: waitCompleted,
			wantWhy: "is wait-completed", wantBlocker: v1beta1.BlockerWaitingForCompletion,
		},
		"label that says nothing": {
			hold: drainertest.Hold{Name: "a"}, pod: drainertest.Pod{Name: "p", DrainLabel: "later"},
			wantKind: evict,
		},
		"unmanaged": {
			hold: drainertest.Hold{Name: "a"}, pod: drainertest.Pod{Name: "p", Unmanaged: true}, wantKind: evict,
		},
		"unmanaged, blocked": {
			hold: drainertest.Hold{Name: "a", Blocking: true}, pod: drainertest.Pod{Name: "p", Unmanaged: true},
			wantKind: block, wantBlocker: v1beta1.BlockerUnmanagedPod,
		},
		"unmanaged, but finished": {
			hold: drainertest.Hold{Name: "a", Blocking: true},
			pod:  drainertest.Pod{Name: "p", Unmanaged: true, Phase: corev1.PodFailed}, wantKind: evict,
		},
		"emptyDir": {
			hold: drainertest.Hold{Name: "a"},
			pod:  drainertest.Pod{Name: "p", Volumes: []corev1.Volume{drainertest.EmptyDir()}}, wantKind: evict,
		},
		"emptyDir, blocked": {
			hold: drainertest.Hold{Name: "a", Blocking: true},
			pod:  drainertest.Pod{Name: "p", Volumes: []corev1.Volume{drainertest.EmptyDir()}}, wantKind: block,
			wantBlocker: v1beta1.BlockerEmptyDirPod,
		},
		"neither": {
			hold: drainertest.Hold{Name: "a", Blocking: true}, pod: drainertest.Pod{Name: "p"}, wantKind: evict,
		},
		"selector that is of no use": {
			hold: drainertest.Hold{
				Name: "a", Change: func(h *v1beta1.NodeMaintenance) { h.Spec.Drain.PodSelector = badSelector },
			},
			pod: drainertest.Pod{Name: "p"}, wantKind: leave, wantWhy: "does not select",
		},
		"rule that is of no use": {
			hold: drainertest.Hold{
				Name:  "a",
				Rules: []v1beta1.DrainRule{v1beta1.DrainRule{PodSelector: badSelector, Action: v1beta1.ActionDrain}},
			},
			pod: drainertest.Pod{Name: "p"}, wantKind: leave, wantWhy: "does not select",
		},
		"stage in which nothing goes": {
			hold: drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}, pod: drainertest.Pod{Name: "p"},
			wantKind: leave, wantWhy: "does not select",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := newHold(test.hold.Object()).treats(test.pod.Object(), known)
			told := strings.Contains(got.why, test.wantWhy) && (got.why == "") == (test.wantWhy == "")
			if got.kind != test.wantKind || got.turn != test.wantTurn || !told {
				t.Errorf("kind %d, turn %v, why %q; want %d, %v, %q", got.kind, got.turn, got.why, test.wantKind,
					test.wantTurn, test.wantWhy)
			}
			var reason v1beta1.BlockerReason
			if got.blocker != nil {
				reason = got.blocker.Reason
			}
			if reason != test.wantBlocker {
				t.Errorf("blocker %v, want %s", got.blocker, test.wantBlocker)
			}
		})
	}
}

var badSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
	Key: "x", Operator: "?",
}}}

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
	ordered := []v1beta1.DrainRule{
		drainertest.AppRule("first", v1beta1.ActionDrain, -1),
		drainertest.AppRule("last", v1beta1.ActionDrain, 1),
		drainertest.AppRule("job", v1beta1.ActionWaitCompleted, 0),
	}
	tests := map[string]struct {
		holds []hold
		pods  []drainertest.Pod
		want  []want
		toGo  int
	}{
		"in turns": {
			holds: []hold{newHold(drainertest.Hold{Name: "a", Rules: ordered}.Object())},
			pods: []drainertest.Pod{
				{Name: "c", Priority: ptr.To[int32](systemCriticalPriority)}, {Name: "f", App: "first"},
				{Name: "l", App: "last"}, {Name: "p"},
			},
			want: []want{
				{action: v1beta1.PlanEvict, turn: 3}, evictNow, {action: v1beta1.PlanEvict, turn: 4},
				{action: v1beta1.PlanEvict, turn: 2},
			},
			toGo: 4,
		},
		"a turn lasts until its pods are gone": {
			holds: []hold{newHold(drainertest.Hold{Name: "a", Rules: ordered}.Object())},
			pods:  []drainertest.Pod{{Name: "f", App: "first", TerminatingAt: drainertest.Epoch}, {Name: "p"}},
			want:  []want{{action: v1beta1.PlanTerminating}, {action: v1beta1.PlanEvict, turn: 2}},
			toGo:  1,
		},
		"what runs to its end holds nobody back": {
			holds: []hold{newHold(drainertest.Hold{Name: "a", Rules: ordered}.Object())},
			pods:  []drainertest.Pod{{Name: "j", App: "job"}, {Name: "l", App: "last"}},
			want:  []want{{action: v1beta1.PlanWaitCompleted}, evictNow},
			toGo:  1,
		},
		"what somebody has to remove holds back the later turns": {
			holds: []hold{newHold(drainertest.Hold{Name: "a", Rules: ordered, Blocking: true}.Object())},
			pods:  []drainertest.Pod{{Name: "b", Unmanaged: true}, {Name: "l", App: "last"}, {Name: "p"}},
			want:  []want{{action: v1beta1.PlanBlock}, {action: v1beta1.PlanEvict, turn: 2}, evictNow},
			toGo:  2,
		},
		"another hold adds and does not hold back": {
			holds: []hold{
				newHold(drainertest.Hold{Name: "a", Rules: ordered}.Object()),
				newHold(drainertest.Hold{
					Name: "b", Rules: []v1beta1.DrainRule{drainertest.AppRule("first", v1beta1.ActionSkip, 0)},
				}.Object()),
			},
			pods: []drainertest.Pod{{Name: "f", App: "first"}, {Name: "j", App: "job"}, {Name: "p"}},
			want: []want{evictNow, evictNow, evictNow},
			toGo: 3,
		},
		"all skip it": {
			holds: []hold{
				newHold(drainertest.Hold{
					Name: "a", Rules: []v1beta1.DrainRule{drainertest.AppRule("web", v1beta1.ActionSkip, 0)},
				}.Object()),
				newHold(drainertest.Hold{Name: "b", SelectApp: "db"}.Object()),
			},
			pods: []drainertest.Pod{{Name: "p"}},
			want: []want{stays},
		},
		"past the deadline all goes at once": {
			holds: []hold{expired(newHold(drainertest.Hold{
				Name: "a", Rules: ordered, Blocking: true, GracePeriodSeconds: 7,
			}.Object()))},
			pods: []drainertest.Pod{
				{Name: "b", Unmanaged: true}, {Name: "j", App: "job"}, {Name: "l", App: "last"},
				{Name: "s", DrainLabel: "skip"},
			},
			want: []want{
				{action: v1beta1.PlanBlock}, {action: v1beta1.PlanDelete, now: true, grace: 7},
				{action: v1beta1.PlanDelete, turn: 2, now: true, grace: 7}, stays,
			},
		},
		"past the deadline of one hold": {
			holds: []hold{
				expired(newHold(drainertest.Hold{Name: "a", SelectApp: "db"}.Object())),
				newHold(drainertest.Hold{Name: "b"}.Object()),
			},
			pods: []drainertest.Pod{{Name: "d", App: "db", GracePeriodSeconds: ptr.To[int64](0)}, {Name: "p"}},
			want: []want{{action: v1beta1.PlanDelete, turn: 1, now: true, grace: 1}, evictNow},
			toGo: 1,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			pods := drainertest.Objects(test.pods)
			plan := makePlan(planInput{
				node: drainertest.NodeName, pods: pods, drainable: uidsOf(pods), holds: test.holds,
				namespaces: namespaces{}, budgets: makeBook(), now: drainertest.Epoch,
			})
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
	pods := drainertest.Objects([]drainertest.Pod{
		{Name: "bare", Unmanaged: true}, {Name: "job", App: "job"}, {Name: "last", App: "last"}, {Name: "web"},
	})
	holds := []hold{
		newHold(drainertest.Hold{Name: "a"}.Object()),
		newHold(drainertest.Hold{
			Name: "b", Blocking: true,
			Rules: []v1beta1.DrainRule{
				drainertest.AppRule("job", v1beta1.ActionWaitCompleted, 0),
				drainertest.AppRule("last", v1beta1.ActionDrain, 1),
			},
		}.Object()),
	}
	plan := makePlan(planInput{
		node: drainertest.NodeName, pods: pods, drainable: uidsOf(pods), holds: holds, now: drainertest.Epoch,
		budgets: makeBook(drainertest.Budget{
			Name: "x", App: "last", Desired: 1, Healthy: 1, Expected: 1,
		}, drainertest.Budget{Name: "y", Desired: 2, Healthy: 2, Expected: 3}),
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
