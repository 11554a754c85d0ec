// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

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

func teamRule(team string, action v1beta1.DrainAction) v1beta1.DrainRule {
	return v1beta1.DrainRule{
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": team}}, Action: action,
	}
}

func TestDecision(t *testing.T) {
	known := map[string]labels.Set{"default": {"team": "blue"}}
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
			hold: drainertest.Hold{Name: "a", SelectApp: "db"}, pod: drainertest.Pod{Name: "p"}, wantKind: stay,
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
			pod: drainertest.Pod{Name: "p"}, wantKind: stay, wantWhy: "spec.drain.rules[0] of a says Skip",
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
				Name: "a", Rules: []v1beta1.DrainRule{{Action: v1beta1.ActionSkip}},
			},
			pod: drainertest.Pod{Name: "p"}, wantKind: stay, wantWhy: "rules[0]",
		},
		"rule for the namespace": {
			hold: drainertest.Hold{Name: "a", Rules: []v1beta1.DrainRule{teamRule("blue", v1beta1.ActionSkip)}},
			pod:  drainertest.Pod{Name: "p"}, wantKind: stay, wantWhy: "rules[0]",
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
				Rules: []v1beta1.DrainRule{{
					PodSelector:       drainertest.AppRule("db", "", 0).PodSelector,
					NamespaceSelector: teamRule("blue", "").NamespaceSelector, Action: v1beta1.ActionSkip,
				}},
			},
			pod: drainertest.Pod{Name: "p"}, wantKind: evict,
		},
		"rule for an annotation": {
			hold: annotationHold(v1beta1.ActionSkip, ""), pod: annotated("keep", "yes"), wantKind: stay, wantWhy: "rules[0]",
		},
		"rule for an annotation with that value": {
			hold: annotationHold(v1beta1.ActionSkip, "yes"), pod: annotated("keep", "yes"), wantKind: stay, wantWhy: "rules[0]",
		},
		"rule for an annotation with another value": {
			hold: annotationHold(v1beta1.ActionSkip, "no"), pod: annotated("keep", "yes"), wantKind: evict,
		},
		"rule for another annotation": {
			hold: annotationHold(v1beta1.ActionSkip, ""), pod: annotated("other", "yes"), wantKind: evict,
		},
		"rule for an annotation and other labels": {
			hold: drainertest.Hold{Name: "a", Rules: []v1beta1.DrainRule{{
				PodSelector:    drainertest.AppRule("db", "", 0).PodSelector,
				PodAnnotations: map[string]string{"keep": "yes"}, Action: v1beta1.ActionSkip,
			}}},
			pod: annotated("keep", "yes"), wantKind: evict,
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
			pod: drainertest.Pod{Name: "p", DrainLabel: "skip"}, wantKind: stay,
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
			pod: drainertest.Pod{Name: "p"}, wantKind: stay, wantWhy: "does not select",
		},
		"rule that is of no use": {
			hold: drainertest.Hold{
				Name:  "a",
				Rules: []v1beta1.DrainRule{{PodSelector: badSelector, Action: v1beta1.ActionDrain}},
			},
			pod: drainertest.Pod{Name: "p"}, wantKind: stay, wantWhy: "does not select",
		},
		"stage in which nothing goes": {
			hold: drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}, pod: drainertest.Pod{Name: "p"},
			wantKind: stay, wantWhy: "does not select",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := NewHold(test.hold.Object()).decide(test.pod.Object(), known)
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

// annotationHold has a rule for pods with the annotation keep.
func annotationHold(action v1beta1.DrainAction, value string) drainertest.Hold {
	return drainertest.Hold{Name: "a", Rules: []v1beta1.DrainRule{{PodAnnotations: map[string]string{"keep": value}, Action: action}}}
}

func annotated(name, value string) drainertest.Pod {
	return drainertest.Pod{Name: "p", Change: func(pod *corev1.Pod) { pod.Annotations = map[string]string{name: value} }}
}

var badSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
	Key: "x", Operator: "?",
}}}
