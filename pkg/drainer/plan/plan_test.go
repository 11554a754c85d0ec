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
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/replicas"
)

// steadyFor is how long a budget must look impossible before a plan says that it is for good.
const steadyFor = 10 * time.Second

// snapshot shows the budgets, at drainertest.Epoch, to pods of the default namespace.
func snapshot(budgets ...drainertest.Budget) eviction.Snapshot {
	known := eviction.NewBudgets()
	for _, pdb := range budgets {
		known.Set(pdb.Object(), drainertest.Epoch)
	}
	return known.Snapshot([]*corev1.Pod{drainertest.Pod{Name: "p"}.Object()}, drainertest.Epoch)
}

func holdsOf(holds ...drainertest.Hold) []Hold {
	var parsed []Hold
	for _, h := range drainertest.Objects(holds) {
		parsed = append(parsed, NewHold(h))
	}
	return parsed
}

func TestPlanForOnePod(t *testing.T) {
	steady := drainertest.Epoch.Add(steadyFor)
	tried := func(o eviction.Outcome, message string) eviction.Attempt {
		return eviction.Attempt{Last: eviction.Answer{Outcome: o, Object: "webhook/w", Message: message}, Failures: 1}
	}
	stopping := drainertest.Pod{Name: "p", TerminatingAt: drainertest.Epoch, Change: func(pod *corev1.Pod) {
		pod.DeletionGracePeriodSeconds = ptr.To[int64](20)
	}}
	tests := map[string]struct {
		pod     drainertest.Pod
		stays   bool
		holds   []drainertest.Hold
		budgets []drainertest.Budget
		attempt eviction.Attempt
		own     bool
		// deletes says that the hold is past its deadline, and deletes.
		deletes bool
		dead    bool
		ready   time.Time
		now     time.Time
		// forecast says that the plan is shown once.
		forecast bool

		wantAction    v1beta1.PlannedAction
		wantReason    v1beta1.BlockerReason
		wantObject    string
		wantPermanent bool
		wantMessage   string
		wantRecheck   time.Time
	}{
		"free to go":        {pod: drainertest.Pod{Name: "p"}, wantAction: v1beta1.PlanEvict},
		"a drain leaves it": {pod: drainertest.Pod{Name: "p"}, stays: true, wantAction: v1beta1.PlanStay},
		"no hold selects it": {
			pod: drainertest.Pod{Name: "p"}, holds: []drainertest.Hold{{Name: "a", SelectApp: "db"}},
			wantAction: v1beta1.PlanStay,
		},
		"the hold only cordons": {
			pod: drainertest.Pod{Name: "p"}, holds: []drainertest.Hold{{Name: "a", Stage: v1beta1.StageCordon}},
			wantAction: v1beta1.PlanStay,
		},
		"no room, perhaps for good": {
			pod:        drainertest.Pod{Name: "p"},
			budgets:    []drainertest.Budget{{Name: "b", Desired: 3, Healthy: 3, Expected: 3}},
			wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b", wantMessage: "needs 3 healthy pods, and no more than 3 are expected",
			wantRecheck: steady,
		},
		"no room, for somebody who asks once": {
			pod: drainertest.Pod{Name: "p"}, forecast: true,
			budgets:    []drainertest.Budget{{Name: "b", Desired: 3, Healthy: 3, Expected: 3}},
			wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b", wantPermanent: true,
			wantMessage: "needs 3 healthy pods, and no more than 3 are expected",
		},
		"no room for now, for somebody who asks once": {
			pod: drainertest.Pod{Name: "p"}, forecast: true,
			budgets:    []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 2, Expected: 3}},
			wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b", wantMessage: "when another one becomes healthy",
		},
		"no room for good": {
			pod:     drainertest.Pod{Name: "p"},
			budgets: []drainertest.Budget{{Name: "b", Desired: 3, Healthy: 3, Expected: 3}},
			now:     steady, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject:    "PodDisruptionBudget/default/b",
			wantPermanent: true, wantMessage: "needs 3 healthy pods, and no more than 3 are expected",
		},
		"budget that counts nobody": {
			pod:     drainertest.Pod{Name: "p"},
			budgets: []drainertest.Budget{{Name: "b"}},
			now:     steady, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b", wantPermanent: true, wantMessage: "counts no pods",
		},
		"no room for now": {
			pod:     drainertest.Pod{Name: "p"},
			budgets: []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 2, Expected: 3}},
			now:     steady, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b", wantMessage: "needs 2 healthy pods and has 2",
		},
		"one eviction at a time": {
			pod:        drainertest.Pod{Name: "p"},
			budgets:    []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 3, Expected: 3}},
			wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject:  "PodDisruptionBudget/default/b",
			wantMessage: "needs 2 healthy pods and has 3, but others of its pods are being evicted",
		},
		"several have to become healthy": {
			pod:        drainertest.Pod{Name: "p"},
			budgets:    []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 1, Expected: 3}},
			wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject:  "PodDisruptionBudget/default/b",
			wantMessage: "needs 2 healthy pods and has 1: the pod is evicted when 2 more become healthy",
		},
		"not healthy itself": {
			pod:        drainertest.Pod{Name: "p", NotReady: true},
			budgets:    []drainertest.Budget{{Name: "b", Desired: 1, Expected: 3}},
			wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b",
			wantMessage: "needs 1 healthy pod and has 0: the pod is evicted when another one becomes healthy; " +
				"the pod is not ready: with unhealthyPodEvictionPolicy: AlwaysAllow, the budget would let it go now",
		},
		"budget that cannot be evaluated": {
			pod:     drainertest.Pod{Name: "p"},
			budgets: []drainertest.Budget{{Name: "b", Desired: 1, Healthy: 1, Expected: 3, SyncFailed: true}},
			now:     steady, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b", wantPermanent: true, wantMessage: "no scale subresource",
		},
		"budget with a new spec": {
			pod:        drainertest.Pod{Name: "p"},
			budgets:    []drainertest.Budget{{Name: "b", Desired: 1, Healthy: 1, Expected: 3, Behind: true}},
			wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget,
			wantObject: "PodDisruptionBudget/default/b", wantMessage: "still being evaluated",
		},
		"two budgets": {
			pod: drainertest.Pod{Name: "p"},
			budgets: []drainertest.Budget{
				{Name: "b", Desired: 1, Healthy: 3, Expected: 3, Allowed: 2},
				{Name: "c", Desired: 1, Healthy: 3, Expected: 3, Allowed: 2},
			}, wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerMultipleDisruptionBudgets,
			wantObject: "PodDisruptionBudget/default/b,PodDisruptionBudget/default/c", wantPermanent: true,
			wantMessage: "2 budgets select the pod (b, c)",
		},
		"webhook": {
			pod: drainertest.Pod{Name: "p"}, attempt: tried(eviction.AdmissionWebhook, "no"),
			wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerAdmissionWebhook, wantObject: "webhook/w",
			wantMessage: "no",
		},
		"throttled": {
			pod: drainertest.Pod{Name: "p"}, attempt: tried(eviction.Throttled, "slow"),
			wantAction: v1beta1.PlanEvict,
		},
		"namespace terminating": {
			pod: drainertest.Pod{Name: "p"}, attempt: tried(eviction.NamespaceTerminating, "x"),
			wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerNamespaceTerminating,
			wantObject: "Namespace/default", wantMessage: "default is being deleted",
		},
		"refused by a budget that lets it go by now": {
			pod: drainertest.Pod{Name: "p"}, attempt: eviction.Attempt{Last: eviction.Answer{Outcome: eviction.DisruptionBudget}},
			wantAction: v1beta1.PlanEvict,
		},
		"refused by a budget that we do not see": {
			pod: drainertest.Pod{Name: "p"}, attempt: tried(eviction.DisruptionBudget, "no room"),
			wantAction: v1beta1.PlanEvict, wantReason: v1beta1.BlockerDisruptionBudget, wantObject: "webhook/w",
			wantMessage: "no room",
		},
		"failed": {
			pod: drainertest.Pod{Name: "p"}, attempt: tried(eviction.Failed, "boom"), wantAction: v1beta1.PlanEvict,
			wantReason: v1beta1.BlockerEvictionFailed, wantObject: "webhook/w", wantMessage: "boom",
		},
		"own pod, going anyway": {
			pod: drainertest.Pod{Name: "p", TerminatingAt: drainertest.Epoch.Add(time.Hour)},
			own: true, wantAction: v1beta1.PlanTerminating,
			wantRecheck: drainertest.Epoch.Add(time.Hour + terminationLag),
		},
		"terminating": {
			pod:        drainertest.Pod{Name: "p", TerminatingAt: drainertest.Epoch},
			wantAction: v1beta1.PlanTerminating, wantRecheck: drainertest.Epoch.Add(terminationLag),
		},
		"terminating for too long": {
			pod: drainertest.Pod{Name: "p", TerminatingAt: drainertest.Epoch},
			now: drainertest.Epoch.Add(terminationLag), wantAction: v1beta1.PlanTerminating,
			wantReason: v1beta1.BlockerTerminating, wantMessage: "the kubelet has not stopped the pod",
		},
		"its kubelet has restarted": {
			pod: stopping, now: drainertest.Epoch.Add(terminationLag), ready: drainertest.Epoch.Add(-5 * time.Second),
			wantAction: v1beta1.PlanTerminating, wantRecheck: drainertest.Epoch.Add(15*time.Second + terminationLag),
			wantReason: v1beta1.BlockerTerminating, wantMessage: "starts the pod's grace period anew: it is over at 1970-01-12T13:46:55Z at the latest",
		},
		"its kubelet has restarted long ago": {
			pod: stopping, now: drainertest.Epoch.Add(15*time.Second + terminationLag), ready: drainertest.Epoch.Add(-5 * time.Second),
			wantAction: v1beta1.PlanTerminating, wantReason: v1beta1.BlockerTerminating, wantMessage: "the kubelet has not stopped the pod",
		},
		"its kubelet has restarted before": {
			pod: stopping, now: drainertest.Epoch.Add(terminationLag), ready: drainertest.Epoch.Add(-21 * time.Second),
			wantAction: v1beta1.PlanTerminating, wantReason: v1beta1.BlockerTerminating, wantMessage: "the kubelet has not stopped the pod",
		},
		"its kubelet has restarted, and reports no more": {
			pod: stopping, now: drainertest.Epoch.Add(terminationLag), ready: drainertest.Epoch.Add(-time.Second), dead: true,
			wantAction: v1beta1.PlanTerminating, wantReason: v1beta1.BlockerTerminating, wantObject: "Node/worker-1",
			wantMessage: "node worker-1 does not report",
		},
		"kept by finalizers": {
			pod: drainertest.Pod{Name: "p", TerminatingAt: drainertest.Epoch, Finalizers: []string{"example.com/keep"}},
			now: drainertest.Epoch.Add(terminationLag), dead: true,
			wantAction: v1beta1.PlanTerminating, wantReason: v1beta1.BlockerTerminating,
			wantMessage: "example.com/keep",
		},
		"on a dead node": {
			pod: drainertest.Pod{Name: "p", TerminatingAt: drainertest.Epoch},
			now: drainertest.Epoch.Add(time.Minute), dead: true,
			wantAction: v1beta1.PlanTerminating, wantReason: v1beta1.BlockerTerminating, wantObject: "Node/worker-1",
			wantMessage: "node worker-1 does not report",
		},
		"to be deleted, and terminating": {
			pod: stopping, now: drainertest.Epoch.Add(terminationLag), deletes: true,
			wantAction: v1beta1.PlanTerminating, wantRecheck: drainertest.Epoch.Add(removalLag),
			wantReason: v1beta1.BlockerTerminating, wantMessage: "it is removed at 1970-01-12T13:47:10Z",
		},
		"to be deleted, and terminating for too long": {
			pod: stopping, now: drainertest.Epoch.Add(removalLag), deletes: true, attempt: eviction.Attempt{Evicted: drainertest.Epoch},
			wantAction: v1beta1.PlanDelete,
		},
		"to be deleted, with a long grace period": {
			pod: drainertest.Pod{Name: "p", TerminatingAt: drainertest.Epoch, Change: func(pod *corev1.Pod) {
				pod.DeletionGracePeriodSeconds = ptr.To[int64](600)
			}},
			now: drainertest.Epoch.Add(599 * time.Second), deletes: true,
			wantAction: v1beta1.PlanTerminating, wantRecheck: drainertest.Epoch.Add(600 * time.Second),
			wantReason: v1beta1.BlockerTerminating, wantMessage: "it is removed at 1970-01-12T13:56:40Z",
		},
		"to be deleted, but its kubelet has restarted": {
			pod: stopping, now: drainertest.Epoch.Add(removalLag), ready: drainertest.Epoch.Add(-5 * time.Second), deletes: true,
			wantAction: v1beta1.PlanTerminating, wantRecheck: drainertest.Epoch.Add(15*time.Second + removalLag),
			wantReason: v1beta1.BlockerTerminating, wantMessage: "it is removed at 1970-01-12T13:47:25Z",
		},
		"to be deleted, and it could not be removed": {
			pod: stopping, now: drainertest.Epoch.Add(time.Hour), deletes: true, attempt: tried(eviction.Failed, "boom"),
			wantAction: v1beta1.PlanDelete, wantReason: v1beta1.BlockerEvictionFailed, wantObject: "webhook/w", wantMessage: "boom",
		},
		"to be deleted, but nobody knows whether it runs": {
			pod: stopping, now: drainertest.Epoch.Add(time.Hour), deletes: true, dead: true,
			wantAction: v1beta1.PlanTerminating, wantReason: v1beta1.BlockerTerminating, wantObject: "Node/worker-1",
			wantMessage: "node worker-1 does not report",
		},
		"to be deleted, but kept by finalizers": {
			pod: drainertest.Pod{Name: "p", TerminatingAt: drainertest.Epoch, Finalizers: []string{"example.com/keep"}},
			now: drainertest.Epoch.Add(time.Hour), deletes: true,
			wantAction: v1beta1.PlanTerminating, wantReason: v1beta1.BlockerTerminating, wantMessage: "example.com/keep",
		},
		"to be deleted, but a virtual machine": {
			pod: drainertest.Pod{Name: "p", TerminatingAt: drainertest.Epoch, Change: drainertest.Launcher("vm")},
			now: drainertest.Epoch.Add(time.Hour), deletes: true,
			wantAction: v1beta1.PlanTerminating, wantReason: v1beta1.BlockerTerminating, wantMessage: "the kubelet has not stopped the pod: see",
		},
		"to be deleted, but this server": {
			pod: stopping, now: drainertest.Epoch.Add(time.Hour), deletes: true, own: true,
			wantAction: v1beta1.PlanTerminating, wantReason: v1beta1.BlockerTerminating, wantMessage: "the kubelet has not stopped the pod: see",
		},
		"evicted, and the watch lags": {
			pod: drainertest.Pod{Name: "p"}, attempt: eviction.Attempt{Evicted: drainertest.Epoch},
			wantAction: v1beta1.PlanTerminating, wantRecheck: drainertest.Epoch.Add(deletionLag),
		},
		"evicted, but not deleted": {
			pod:     drainertest.Pod{Name: "p"},
			attempt: eviction.Attempt{Evicted: drainertest.Epoch},
			now:     drainertest.Epoch.Add(deletionLag), wantAction: v1beta1.PlanTerminating,
			wantReason: v1beta1.BlockerTerminating, wantMessage: "not being deleted",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			pod := test.pod.Object()
			in := Input{
				Node: drainertest.NodeName, NodeDead: test.dead, NodeReadySince: test.ready, Pods: []*corev1.Pod{pod},
				Drainable: sets.New[types.UID](),
				Budgets:   snapshot(test.budgets...), Attempts: map[types.UID]eviction.Attempt{pod.UID: test.attempt},
				Now: test.now, Forecast: test.forecast,
			}
			if test.own {
				in.Replicas.Server = replicas.Of(pod)
			}
			if !test.stays {
				in.Drainable.Insert(pod.UID)
			}
			if in.Now.IsZero() {
				in.Now = drainertest.Epoch
			}
			if test.holds == nil {
				test.holds = []drainertest.Hold{{Name: "a"}}
			}
			in.Holds = holdsOf(test.holds...)
			in.Holds[0].Deletes = test.deletes
			plan := Make(in)
			got := plan.Pods[0]
			if got.Action != test.wantAction || !plan.Recheck.Equal(test.wantRecheck) {
				t.Errorf("%s, again at %v; want %s, again at %v", got.Action, plan.Recheck, test.wantAction,
					test.wantRecheck)
			}
			if evictions := plan.Evictions(); (len(evictions) == 1) != removes(test.wantAction) {
				t.Errorf("evictions %v", evictions)
			}
			blocker := v1beta1.DrainBlocker{Pod: "default/p"}
			if got.Blocker != nil {
				blocker = *got.Blocker
			}
			if !strings.Contains(blocker.Message, test.wantMessage) {
				t.Errorf("message %q, want it to say %q", blocker.Message, test.wantMessage)
			}
			blocker.Message = ""
			want := v1beta1.DrainBlocker{
				Pod: "default/p", Reason: test.wantReason, Object: test.wantObject, Permanent: test.wantPermanent,
			}
			if diff := cmp.Diff(want, blocker); diff != "" {
				t.Errorf("blocker (-want +got):\n%s", diff)
			}
		})
	}
}

// Of several pods of one budget only as many are free to go as the budget lets go together.
func TestPlanCountsABudgetsPodsTogether(t *testing.T) {
	pods := drainertest.Objects([]drainertest.Pod{
		{Name: "a"},
		{Name: "b", NotReady: true},
		{Name: "c"},
		{Name: "d", TerminatingAt: drainertest.Epoch.Add(time.Hour)},
		{Name: "e"},
		{Name: "f", App: "free"},
	})
	holds := holdsOf(drainertest.Hold{Name: "x", GracePeriodSeconds: 5})
	plan := Make(Input{
		Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Holds: holds, Now: drainertest.Epoch,
		Budgets: snapshot(drainertest.Budget{Name: "b", Desired: 2, Healthy: 4, Expected: 5, Allowed: 2}),
	})
	for i, wantBlocked := range []bool{false, false, false, false, true, false} {
		if blocked := plan.Pods[i].Blocker != nil; blocked != wantBlocked {
			t.Errorf("pod %s is blocked: %t, want %t", pods[i].Name, blocked, wantBlocked)
		}
	}
	for _, e := range plan.Evictions() {
		if e.GracePeriodSeconds == nil || *e.GracePeriodSeconds != 5 {
			t.Errorf("pod %s gets %v seconds, want 5", e.Pod.Name, e.GracePeriodSeconds)
		}
	}
}

// uidsOf has all pods be such that a drain evicts them.
func uidsOf(pods []*corev1.Pod) sets.Set[types.UID] {
	uids := sets.New[types.UID]()
	for _, pod := range pods {
		uids.Insert(pod.UID)
	}
	return uids
}
