// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/returns"
)

// cordon are the taints of a cordoned node.
var cordon = []corev1.Taint{
	{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule},
	{Key: v1beta1.DrainTaint, Effect: corev1.TaintEffectNoSchedule},
}

// tolerant has a pod tolerate taints; an empty key stands for every taint.
func tolerant(keys ...string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		for _, key := range keys {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
		}
	}
}

// Of the pods a and b that came back, one is evicted at a time.
func TestPlanForPodsThatCameBack(t *testing.T) {
	const object = "Deployment/default/web"
	back := func(change func(*returns.Controller)) returns.Controller {
		of := returns.Controller{Object: object, Times: 3, Since: drainertest.Epoch}
		change(&of)
		return of
	}
	first := back(func(*returns.Controller) {})
	again := back(func(of *returns.Controller) { of.Again = true })
	waiting := back(func(of *returns.Controller) {
		of.Again, of.Next, of.Recheck = true, drainertest.Epoch.Add(time.Minute), drainertest.Epoch.Add(time.Minute)
	})
	evicted := map[types.UID]eviction.Attempt{drainertest.UID("a"): {Evicted: drainertest.Epoch}}
	tests := map[string]struct {
		of       returns.Controller
		deletes  bool
		over     bool
		attempts map[types.UID]eviction.Attempt

		wantNow, wantBlocked []string
		wantPermanent        bool
		wantChosen           types.UID
		wantToGo             int
		wantRecheck          time.Time
	}{
		"for the first time": {of: first, wantNow: []string{"a"}, wantBlocked: []string{"b"}, wantChosen: drainertest.UID("a"), wantToGo: 2},
		"again": {
			of: again, wantNow: []string{"a"}, wantBlocked: []string{"a", "b"}, wantPermanent: true, wantChosen: drainertest.UID("a"),
		},
		"before its time": {
			of: waiting, wantBlocked: []string{"a", "b"}, wantPermanent: true, wantRecheck: drainertest.Epoch.Add(time.Minute),
		},
		"past the deadline before its time": {
			of: waiting, deletes: true, wantBlocked: []string{"a", "b"}, wantPermanent: true, wantRecheck: drainertest.Epoch.Add(time.Minute),
		},
		"another is chosen already": {
			of:      back(func(of *returns.Controller) { of.Chosen = drainertest.UID("b") }),
			wantNow: []string{"b"}, wantBlocked: []string{"a"}, wantChosen: drainertest.UID("b"), wantToGo: 2,
		},
		"the chosen one was evicted just now": {
			of:       back(func(of *returns.Controller) { of.Chosen = drainertest.UID("a") }),
			attempts: evicted, wantBlocked: []string{"b"}, wantChosen: drainertest.UID("a"), wantToGo: 1,
			wantRecheck: drainertest.Epoch.Add(deletionLag),
		},
		"they have run to their end": {
			of: waiting, over: true, wantNow: []string{"a", "b"}, wantBlocked: []string{"a", "b"}, wantPermanent: true,
		},
		"none comes back any more": {
			of: back(func(of *returns.Controller) { of.Free = true }), wantNow: []string{"a", "b"}, wantToGo: 2,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			pods := drainertest.Objects([]drainertest.Pod{{Name: "a"}, {Name: "b"}})
			if test.over {
				pods[0].Status.Phase, pods[1].Status.Phase = corev1.PodFailed, corev1.PodFailed
			}
			holds := holdsOf(drainertest.Hold{Name: "h"})
			holds[0].Deletes = test.deletes
			plan := Make(Input{
				Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Holds: holds, Budgets: snapshot(), Now: drainertest.Epoch,
				Returns: returns.Pods{pods[0].UID: test.of, pods[1].UID: test.of}, Cordon: cordon, Attempts: test.attempts,
			})
			var now, blocked []string
			for _, e := range plan.Evictions() {
				now = append(now, e.Pod.Name)
			}
			for _, pod := range plan.Pods {
				if pod.Blocker == nil {
					continue
				}
				blocked = append(blocked, pod.Pod.Name)
				if b := pod.Blocker; b.Reason != v1beta1.BlockerPodsReturn || b.Object != object || b.Permanent != test.wantPermanent {
					t.Errorf("the blocker is %+v, want PodsReturn by %s, permanent %t", b, object, test.wantPermanent)
				}
			}
			if diff := cmp.Diff(test.wantNow, now); diff != "" {
				t.Errorf("evicted now (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.wantBlocked, blocked); diff != "" {
				t.Errorf("blocked (-want +got):\n%s", diff)
			}
			if plan.Chosen[object] != test.wantChosen || plan.ToGo() != test.wantToGo || !plan.Recheck.Equal(test.wantRecheck) {
				t.Errorf("chosen %q, %d to go, recheck %s; want %q, %d, %s",
					plan.Chosen[object], plan.ToGo(), plan.Recheck, test.wantChosen, test.wantToGo, test.wantRecheck)
			}
		})
	}
}

func TestWhyPodsComeBack(t *testing.T) {
	tests := map[string]struct {
		change              func(*corev1.Pod)
		wantWhy, wantWayOut string
	}{
		"no toleration": {
			wantWhy: "They do not tolerate the cordon, so their controller names the node in spec.nodeName, " +
				"or their scheduler ignores taints",
			wantWayOut: "have the controller leave the choice of the node to the scheduler",
		},
		"not of each taint": {
			change:     tolerant(corev1.TaintNodeUnschedulable),
			wantWhy:    "They do not tolerate the cordon, so",
			wantWayOut: "have the controller leave",
		},
		"tolerations": {
			change:     tolerant(corev1.TaintNodeUnschedulable, v1beta1.DrainTaint),
			wantWhy:    "They tolerate the cordon (tolerations of node.kubernetes.io/unschedulable, medik8s.io/drain)",
			wantWayOut: "remove the toleration",
		},
		"node selector": {
			change: func(pod *corev1.Pod) {
				tolerant("")(pod)
				pod.Spec.NodeSelector = map[string]string{"pool": "x"}
			},
			wantWhy:    "They tolerate the cordon (a toleration of every taint) and select the node (nodeSelector pool=x)",
			wantWayOut: "remove the toleration or that selection",
		},
		"node affinity": {
			change: func(pod *corev1.Pod) {
				tolerant("")(pod)
				pod.Spec.Affinity = affinityTo("worker-1")
			},
			wantWhy:    "They tolerate the cordon (a toleration of every taint) and select the node (node affinity)",
			wantWayOut: "remove the toleration or that selection",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			pod := drainertest.Pod{Name: "p", Change: test.change}.Object()
			if got := whyHere(pod, cordon); !strings.HasPrefix(got, test.wantWhy) {
				t.Errorf("why: %q, want %q", got, test.wantWhy)
			}
			if got := wayOut(pod, cordon); !strings.HasPrefix(got, test.wantWayOut) {
				t.Errorf("way out: %q, want %q", got, test.wantWayOut)
			}
		})
	}
}

// affinityTo limits a pod to one node, as the controllers of daemons do.
func affinityTo(nodes ...string) *corev1.Affinity {
	selected := &corev1.NodeSelector{}
	for _, node := range nodes {
		selected.NodeSelectorTerms = append(selected.NodeSelectorTerms, corev1.NodeSelectorTerm{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
		})
	}
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: selected}}
}
