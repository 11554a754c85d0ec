// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// What an eviction loses or overrides is in the message of the planned pod, and in a list of the plan.
func TestReportOfLosses(t *testing.T) {
	const (
		bare    = "no controller creates it again"
		karp    = "evicted although its annotation karpenter.sh/do-not-disrupt is true: to leave it, add a rule with podAnnotations and the action Skip"
		scaler  = "evicted although its annotation cluster-autoscaler.kubernetes.io/safe-to-evict is false: to leave it, add a rule with podAnnotations and the action Skip"
		typo    = `evicted although it has the label cluster.x-k8s.io/drain, whose value "skp" means nothing: use skip or wait-completed`
		onlyOne = "spec.drain.rules[0] of a says Drain"
	)
	emptyDir := []corev1.Volume{drainertest.EmptyDir()}
	asks := func(name, value string) drainertest.Pod {
		pod := annotated(name, value)
		return pod
	}
	heeding := drainertest.Hold{Name: "a", Rules: []v1beta1.DrainRule{{
		PodAnnotations: map[string]string{"karpenter.sh/do-not-disrupt": "true"}, Action: v1beta1.ActionDrain,
	}}}
	plain := drainertest.Hold{Name: "a"}
	one := []string{"default/p"}
	tests := map[string]struct {
		holds []drainertest.Hold
		pod   drainertest.Pod

		wantMessage string
		// want has only the lists of the plan.
		want v1beta1.DrainPlanStatus
	}{
		"nothing": {pod: drainertest.Pod{Name: "p"}},
		"bare":    {pod: drainertest.Pod{Name: "p", Unmanaged: true}, wantMessage: bare, want: v1beta1.DrainPlanStatus{UnmanagedPods: one}},
		"bare with data": {
			pod:         drainertest.Pod{Name: "p", Unmanaged: true, Volumes: emptyDir},
			wantMessage: bare + "; the data of its emptyDir volumes are lost",
			want:        v1beta1.DrainPlanStatus{UnmanagedPods: one, EmptyDirPods: one},
		},
		"bare, and finished": {pod: drainertest.Pod{Name: "p", Unmanaged: true, Phase: corev1.PodSucceeded}},
		"asks Karpenter": {
			pod: asks("karpenter.sh/do-not-disrupt", "true"), wantMessage: karp, want: v1beta1.DrainPlanStatus{DoNotDisruptPods: one},
		},
		"asks Karpenter for nothing": {pod: asks("karpenter.sh/do-not-disrupt", "false")},
		"asks the autoscaler": {
			pod:         asks("cluster-autoscaler.kubernetes.io/safe-to-evict", "false"),
			wantMessage: scaler, want: v1beta1.DrainPlanStatus{DoNotDisruptPods: one},
		},
		"asks, and a rule decides": {
			holds: []drainertest.Hold{heeding}, pod: asks("karpenter.sh/do-not-disrupt", "true"), wantMessage: onlyOne,
		},
		"asks, and another rule decides": {
			holds: []drainertest.Hold{{Name: "a", Rules: []v1beta1.DrainRule{drainertest.AppRule("web", v1beta1.ActionDrain, 1)}}},
			pod:   asks("karpenter.sh/do-not-disrupt", "true"), wantMessage: onlyOne + "; " + karp,
			want: v1beta1.DrainPlanStatus{DoNotDisruptPods: one},
		},
		"asks, and a rule of but one hold decides": {
			holds: []drainertest.Hold{heeding, {Name: "b"}}, pod: asks("karpenter.sh/do-not-disrupt", "true"),
			wantMessage: karp, want: v1beta1.DrainPlanStatus{DoNotDisruptPods: one},
		},
		"mistyped": {pod: drainertest.Pod{Name: "p", DrainLabel: "skp"}, wantMessage: typo, want: v1beta1.DrainPlanStatus{MislabeledPods: one}},
		"asks, and stays": {
			holds: []drainertest.Hold{{Name: "a", SelectApp: "db"}}, pod: asks("karpenter.sh/do-not-disrupt", "true"),
			wantMessage: "spec.drain.podSelector of a does not select it",
		},
		"no drain": {
			holds: []drainertest.Hold{{Name: "a", Stage: v1beta1.StageCordon}}, pod: drainertest.Pod{Name: "p"},
			wantMessage: "no hold of the node has the stage Drain",
		},
		"drain without a name": {
			holds: []drainertest.Hold{{Change: func(h *v1beta1.NodeMaintenance) { h.Spec.Drain.PodSelector = drainertest.AppSelector("db") }}},
			pod:   drainertest.Pod{Name: "p"}, wantMessage: "spec.drain.podSelector of this drain does not select it",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.holds == nil {
				test.holds = []drainertest.Hold{plain}
			}
			got := reportOf(test.holds, test.pod)
			if message := got.Pods[0].Message; message != test.wantMessage {
				t.Errorf("message %q, want %q", message, test.wantMessage)
			}
			lists := v1beta1.DrainPlanStatus{
				UnmanagedPods: got.UnmanagedPods, EmptyDirPods: got.EmptyDirPods,
				DoNotDisruptPods: got.DoNotDisruptPods, MislabeledPods: got.MislabeledPods,
			}
			if diff := cmp.Diff(test.want, lists); diff != "" {
				t.Errorf("lists (-want +got):\n%s", diff)
			}
		})
	}
}

func reportOf(holds []drainertest.Hold, pod drainertest.Pod) *v1beta1.DrainPlanStatus {
	pods := []*corev1.Pod{pod.Object()}
	return Make(Input{
		Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Holds: holdsOf(holds...), Now: drainertest.Epoch,
	}).Report(drainertest.UID("a"), nil)
}

// Block protects a pod only from the hold that says it. The plan names who evicts the pod all the same.
func TestReportOfHoldsThatDisagree(t *testing.T) {
	evicting := func(name string) drainertest.Hold { return drainertest.Hold{Name: name} }
	blocking := func(name string) drainertest.Hold { return drainertest.Hold{Name: name, Blocking: true} }
	waiting := drainertest.Hold{Name: "w", Rules: []v1beta1.DrainRule{{Action: v1beta1.ActionWaitCompleted}}}
	holds := func(names ...string) (list []v1beta1.PlannedHold) {
		for _, name := range names {
			list = append(list, v1beta1.PlannedHold{Name: name, Requestor: name})
		}
		return list
	}
	bare := drainertest.Pod{Name: "p", Unmanaged: true}
	cached := drainertest.Pod{Name: "p", Volumes: []corev1.Volume{drainertest.EmptyDir()}}
	const lostPod, lostData = "; no controller creates it again", "; the data of its emptyDir volumes are lost"
	tests := map[string]struct {
		holds []drainertest.Hold
		pod   drainertest.Pod

		wantAction                 v1beta1.PlannedAction
		wantEvicting, wantBlocking []v1beta1.PlannedHold
		wantMessage                string
	}{
		"all evict": {holds: []drainertest.Hold{evicting("a")}, pod: bare, wantAction: v1beta1.PlanEvict, wantMessage: lostPod[2:]},
		"all block": {holds: []drainertest.Hold{blocking("a"), blocking("b")}, pod: bare, wantAction: v1beta1.PlanBlock},
		"one waits": {holds: []drainertest.Hold{blocking("a"), waiting}, pod: bare, wantAction: v1beta1.PlanWaitCompleted, wantMessage: "spec.drain.rules[0] of w says WaitCompleted"},
		"bare pod": {
			holds: []drainertest.Hold{blocking("a"), evicting("b")}, pod: bare, wantAction: v1beta1.PlanEvict,
			wantEvicting: holds("b"), wantBlocking: holds("a"),
			wantMessage: `hold "b" of "b" evicts it, although hold "a" of "a" says unmanagedPods: Block` + lostPod,
		},
		"pod with data": {
			holds: []drainertest.Hold{evicting("a"), blocking("b")}, pod: cached, wantAction: v1beta1.PlanEvict,
			wantEvicting: holds("a"), wantBlocking: holds("b"),
			wantMessage: `hold "a" of "a" evicts it, although hold "b" of "b" says emptyDirPods: Block` + lostData,
		},
		"several of each": {
			holds: []drainertest.Hold{evicting("a"), blocking("b"), evicting("c"), blocking("d")}, pod: bare, wantAction: v1beta1.PlanEvict,
			wantEvicting: holds("a", "c"), wantBlocking: holds("b", "d"),
			wantMessage: `hold "a" of "a" evicts it, although hold "b" of "b" says unmanagedPods: Block` + lostPod,
		},
		"drain without a name": {
			holds: []drainertest.Hold{blocking("a"), {UID: "planned"}}, pod: bare, wantAction: v1beta1.PlanEvict, wantBlocking: holds("a"),
			wantMessage: `this drain evicts it, although hold "a" of "a" says unmanagedPods: Block` + lostPod,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			want := v1beta1.PlannedPod{
				Pod: "default/p", Action: test.wantAction, Message: test.wantMessage,
				EvictingHolds: test.wantEvicting, BlockingHolds: test.wantBlocking,
			}
			got := reportOf(test.holds, test.pod).Pods[0]
			got.Turn, got.Blocker = 0, nil
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("planned pod (-want +got):\n%s", diff)
			}
		})
	}
}

// Whoever asks is told what their own hold loses, not what other holds do.
func TestReportListsOwnLosses(t *testing.T) {
	bare := []drainertest.Pod{{Name: "mine", Unmanaged: true}, {Name: "theirs", App: "other", Unmanaged: true}}
	pods := drainertest.Objects(bare)
	report := Make(Input{
		Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Now: drainertest.Epoch,
		Holds: holdsOf(drainertest.Hold{Name: "a", SelectApp: drainertest.App}, drainertest.Hold{Name: "b"}),
	}).Report(drainertest.UID("a"), nil)
	if diff := cmp.Diff([]string{"default/mine"}, report.UnmanagedPods); diff != "" || report.EvictionPods != 2 {
		t.Errorf("of %d evictions, the listed losses (-want +got):\n%s", report.EvictionPods, diff)
	}
}

// Of the pods that are stuck, those are listed that the hold drains and does not delete after its deadline.
func TestReportListsStuckPods(t *testing.T) {
	pods := drainertest.Objects([]drainertest.Pod{
		{Name: "guarded", App: "guarded"}, {Name: "bare", Unmanaged: true}, {Name: "theirs", App: "other", Unmanaged: true},
	})
	report := func(hold drainertest.Hold) []string {
		other := drainertest.Hold{Name: "b", Blocking: true}
		hold.Name, hold.Blocking, hold.Change = "a", true, func(hold *v1beta1.NodeMaintenance) {
			hold.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
				Key: "app", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"other"},
			}}}
		}
		return Make(Input{
			Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Now: drainertest.Epoch, Forecast: true,
			Budgets: snapshot(drainertest.Budget{Name: "b", App: "guarded", Desired: 1, Healthy: 1, Expected: 1}),
			Holds:   holdsOf(hold, other),
		}).Report(drainertest.UID("a"), nil).PermanentlyBlockedPods
	}
	if diff := cmp.Diff([]string{"default/guarded", "default/bare"}, report(drainertest.Hold{})); diff != "" {
		t.Errorf("stuck pods (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"default/bare"}, report(drainertest.Hold{DeleteOnTimeout: true, TimeoutSeconds: 60})); diff != "" {
		t.Errorf("stuck pods of a hold that deletes (-want +got):\n%s", diff)
	}
}
