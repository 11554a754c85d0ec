// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/virtualmachine"
)

func TestMachines(t *testing.T) {
	const object, message = "VirtualMachineInstance/default/vm", "what KubeVirt does"
	state := func(phase virtualmachine.Phase) virtualmachine.State {
		return virtualmachine.State{Phase: phase, Object: object, Message: message}
	}
	doubtful := virtualmachine.State{Phase: virtualmachine.NotMigratable, Object: object, Message: message, Doubtful: true}
	webhook := eviction.Attempt{Last: eviction.Answer{Outcome: eviction.AdmissionWebhook, Object: "webhook/w", Message: "no"}, Failures: 1}
	budget := eviction.Attempt{Last: eviction.Answer{Outcome: eviction.DisruptionBudget, Message: "no room"}, Failures: 1}
	kubevirts := webhook
	kubevirts.Last.Object = "webhook/virt-launcher-eviction-interceptor.kubevirt.io"
	own := []drainertest.Budget{{Name: "kubevirt-disruption-budget-x", Desired: 1, Healthy: 1, Expected: 1, Change: madeForMachine}}
	theirs := drainertest.Budget{Name: "b", Desired: 1, Healthy: 1, Expected: 1}
	impossible := &v1beta1.DrainBlocker{
		Reason: v1beta1.BlockerDisruptionBudget, Object: "PodDisruptionBudget/default/b", Permanent: true,
		Message: "budget default/b needs 1 healthy pod, and no more than 1 are expected: add replicas, or let the budget require fewer",
	}
	decides := "a virtual machine: KubeVirt decides whether it is migrated or stopped; the data of its emptyDir volumes are lost"
	migrating := &v1beta1.DrainBlocker{Reason: v1beta1.BlockerVirtualMachineMigrating, Object: object, Message: message}
	stuck := &v1beta1.DrainBlocker{Reason: v1beta1.BlockerVirtualMachineNotMigratable, Object: object, Message: message, Permanent: true}
	refused := &v1beta1.DrainBlocker{
		Reason: v1beta1.BlockerAdmissionWebhook, Object: "webhook/w",
		Message: "no: the eviction is retried; if the webhook is not moving the pod by itself, ask who runs it",
	}
	tests := map[string]struct {
		state   virtualmachine.State
		attempt eviction.Attempt
		budgets []drainertest.Budget
		pod     drainertest.Pod
		// ordinary pods run no machine.
		ordinary, forecast bool
		// labeled pods have the label of launchers, and another controller.
		labeled bool

		wantBlocker *v1beta1.DrainBlocker
		// wantPosted and wantAsks say whether the eviction may be posted, and also while a budget forbids it.
		wantPosted, wantAsks bool
		wantNote             string
		wantLosses           bool
	}{
		"not asked yet, nothing known": {
			budgets: own, wantPosted: true, wantAsks: true, wantLosses: true,
			wantNote: "a virtual machine: KubeVirt decides whether it is migrated or stopped; the data of its emptyDir volumes are lost",
		},
		"the same, for somebody who asks once": {
			budgets: own, forecast: true, wantPosted: true, wantAsks: true, wantLosses: true,
			wantNote: "a virtual machine: KubeVirt decides whether it is migrated or stopped; the data of its emptyDir volumes are lost",
		},
		"a plan, migratable": {
			state: state(virtualmachine.Migrates), budgets: own, forecast: true, wantPosted: true, wantAsks: true, wantNote: message,
		},
		"a plan, not migratable": {
			state: state(virtualmachine.NotMigratable), budgets: own, forecast: true, wantBlocker: stuck, wantAsks: true, wantLosses: true,
			wantNote: "the data of its emptyDir volumes are lost",
		},
		"a plan, not migratable, KubeVirt's default decides": {
			state: doubtful, budgets: own, forecast: true, wantPosted: true, wantAsks: true, wantLosses: true,
			wantNote: "its virtual machine is stopped, or blocks the drain if KubeVirt's default evictionStrategy is LiveMigrate: " + message +
				"; the data of its emptyDir volumes are lost",
		},
		"a plan, stopped": {
			state: state(virtualmachine.Stops), forecast: true, wantPosted: true, wantLosses: true,
			wantNote: message + "; the data of its emptyDir volumes are lost",
		},
		"refused by the webhook, nothing known": {
			attempt: webhook, budgets: own, wantBlocker: refused, wantPosted: true, wantAsks: true, wantLosses: true,
			wantNote: "a virtual machine: KubeVirt decides whether it is migrated or stopped; the data of its emptyDir volumes are lost",
		},
		"refused by its own budget, nothing known": {
			attempt: budget, budgets: own, wantPosted: true, wantAsks: true, wantLosses: true,
			wantBlocker: &v1beta1.DrainBlocker{
				Reason: v1beta1.BlockerDisruptionBudget, Object: "PodDisruptionBudget/default/kubevirt-disruption-budget-x",
				Message: "budget default/kubevirt-disruption-budget-x keeps the virtual machine's pod; KubeVirt's own budgets do that until " +
					"the machine has migrated, which kubectl get vmim shows; the eviction is retried",
			},
			wantNote: "a virtual machine: KubeVirt decides whether it is migrated or stopped; the data of its emptyDir volumes are lost",
		},
		"failed for another reason, nothing known": {
			attempt: eviction.Attempt{Last: eviction.Answer{Outcome: eviction.Failed, Message: "boom"}, Failures: 1}, budgets: own,
			wantBlocker: &v1beta1.DrainBlocker{Reason: v1beta1.BlockerEvictionFailed, Message: "boom: the eviction is retried"},
			wantPosted:  true, wantAsks: true, wantLosses: true,
			wantNote: "a virtual machine: KubeVirt decides whether it is migrated or stopped; the data of its emptyDir volumes are lost",
		},
		"waiting": {
			state: state(virtualmachine.Waiting), attempt: webhook, budgets: own, wantBlocker: migrating, wantAsks: true,
		},
		"migrating": {
			state: state(virtualmachine.Migrating), attempt: webhook, budgets: own, wantBlocker: migrating, wantAsks: true,
		},
		"migrating, without a budget": {state: state(virtualmachine.Migrating), wantBlocker: migrating, wantAsks: true},
		"arriving":                    {state: state(virtualmachine.Arriving), wantBlocker: migrating, wantAsks: true},
		"failed": {
			state: state(virtualmachine.Failed), attempt: webhook, budgets: own, wantBlocker: migrating, wantPosted: true, wantAsks: true,
		},
		"not migratable, KubeVirt's default decided": {
			state: doubtful, attempt: kubevirts, budgets: own, wantBlocker: stuck, wantPosted: true, wantAsks: true, wantLosses: true,
			wantNote: "the data of its emptyDir volumes are lost",
		},
		"not migratable, refused by another webhook": {
			state: doubtful, attempt: webhook, budgets: own, wantBlocker: refused, wantPosted: true, wantAsks: true, wantLosses: true,
			wantNote: "its virtual machine is stopped, or blocks the drain if KubeVirt's default evictionStrategy is LiveMigrate: " + message +
				"; the data of its emptyDir volumes are lost",
		},
		"nothing known, and the budget is not KubeVirt's": {
			budgets: []drainertest.Budget{theirs}, forecast: true, wantBlocker: impossible, wantPosted: true, wantAsks: true, wantLosses: true,
			wantNote: decides,
		},
		"nothing known, the budget is not KubeVirt's, and the webhook refuses": {
			attempt: kubevirts, budgets: []drainertest.Budget{theirs}, wantPosted: true, wantAsks: true, wantLosses: true, wantNote: decides,
			wantBlocker: &v1beta1.DrainBlocker{
				Reason: v1beta1.BlockerAdmissionWebhook, Object: kubevirts.Last.Object,
				Message: "no: the eviction is retried; if the webhook is not moving the pod by itself, ask who runs it",
			},
		},
		"nothing known, and one of two budgets is KubeVirt's": {
			budgets: append([]drainertest.Budget{theirs}, own...), forecast: true, wantPosted: true, wantAsks: true, wantLosses: true, wantNote: decides,
		},
		"the label alone": {
			ordinary: true, labeled: true, budgets: []drainertest.Budget{theirs}, forecast: true, wantBlocker: impossible,
			wantPosted: true, wantLosses: true, wantNote: "the data of its emptyDir volumes are lost",
		},
		"stopped, but its user's budget has no room": {
			state: state(virtualmachine.Stops), budgets: []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 2, Expected: 3}},
			wantBlocker: &v1beta1.DrainBlocker{
				Reason: v1beta1.BlockerDisruptionBudget, Object: "PodDisruptionBudget/default/b",
				Message: "budget default/b needs 2 healthy pods and has 2: the pod is evicted when another one becomes healthy",
			},
			wantPosted: true, wantLosses: true, wantNote: message + "; the data of its emptyDir volumes are lost",
		},
		"finished: the machine has left": {
			state: state(virtualmachine.Migrating), budgets: own, pod: drainertest.Pod{Phase: corev1.PodSucceeded}, wantPosted: true, wantAsks: true,
		},
		"no machine": {
			ordinary: true, budgets: []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 3, Expected: 3, Allowed: 1}},
			wantPosted: true, wantLosses: true, wantNote: "the data of its emptyDir volumes are lost",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.pod.Name, tc.pod.Volumes = "p", []corev1.Volume{drainertest.EmptyDir()}
			if !tc.ordinary {
				tc.pod.Change = drainertest.Launcher("vm")
			}
			pod := tc.pod.Object()
			if tc.labeled {
				pod.Labels["kubevirt.io"] = "virt-launcher"
			}
			holds := holdsOf(drainertest.Hold{Name: "a"})
			made := Make(Input{
				Node: drainertest.NodeName, Pods: []*corev1.Pod{pod}, Drainable: uidsOf([]*corev1.Pod{pod}), Holds: holds,
				Budgets: snapshot(tc.budgets...), Attempts: map[types.UID]eviction.Attempt{pod.UID: tc.attempt},
				Machines: virtualmachine.States{pod.UID: tc.state}, Forecast: tc.forecast, Now: drainertest.Epoch,
			})
			if tc.wantBlocker != nil {
				tc.wantBlocker.Pod = "default/p"
			}
			if diff := cmp.Diff(tc.wantBlocker, made.Pods[0].Blocker); diff != "" {
				t.Errorf("blocker (-want +got):\n%s", diff)
			}
			posted := made.Evictions()
			if len(posted) > 0 != tc.wantPosted || made.Pods[0].asks() != tc.wantAsks {
				t.Errorf("evictions %+v, asks %t, want posted %t, asks %t", posted, made.Pods[0].asks(), tc.wantPosted, tc.wantAsks)
			}
			report := made.Report(holds[0].UID, nil)
			if got := report.Pods[0].Message; got != tc.wantNote {
				t.Errorf("message:\n%s\nwant:\n%s", got, tc.wantNote)
			}
			if got := len(report.EmptyDirPods) > 0; got != tc.wantLosses {
				t.Errorf("listed as a pod that loses data: %t, want %t", got, tc.wantLosses)
			}
			if got := len(made.Recreated(holds[0].UID)) > 0; got != tc.wantLosses {
				t.Errorf("its controller creates another one: %t, want %t", got, tc.wantLosses)
			}
			if stuck := strings.Join(report.PermanentlyBlockedPods, ","); (stuck != "") != (tc.wantBlocker != nil && tc.wantBlocker.Permanent) {
				t.Errorf("stuck for good: %q", stuck)
			}
			if got := made.MovesMachines(); got == (tc.ordinary || tc.pod.Phase == corev1.PodSucceeded) {
				t.Errorf("moves machines: %t", got)
			}
		})
	}
}

func madeForMachine(pdb *policyv1.PodDisruptionBudget) {
	pdb.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "kubevirt.io/v1", Kind: "VirtualMachineInstance", Name: "vm", Controller: ptr.To(true),
	}}
}

// made is a plan for the pods of one hold.
func made(policy v1beta1.EvictionPolicy, pods ...*corev1.Pod) Plan {
	holds := holdsOf(drainertest.Hold{Name: "a"})
	holds[0].Spec.Drain.EmptyDirPods = policy
	return Make(Input{Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Holds: holds, Now: drainertest.Epoch})
}

// The emptyDir volumes of a launcher have nothing that somebody could save.
func TestBlockedEmptyDirsDoNotBlockMachines(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*corev1.Pod)
		want   v1beta1.PlannedAction
	}{
		"a machine":       {change: drainertest.Launcher("vm"), want: v1beta1.PlanEvict},
		"the label alone": {change: func(pod *corev1.Pod) { pod.Labels["kubevirt.io"] = "virt-launcher" }, want: v1beta1.PlanBlock},
	} {
		t.Run(name, func(t *testing.T) {
			pod := drainertest.Pod{Name: "p", Volumes: []corev1.Volume{drainertest.EmptyDir()}, Change: tc.change}.Object()
			if got := made(v1beta1.PolicyBlock, pod).Pods[0].Action; got != tc.want {
				t.Errorf("action %s, want %s", got, tc.want)
			}
		})
	}
}

// Until it is known what becomes of a machine, only other pods are evicted.
func TestAwaitMachines(t *testing.T) {
	vm, other := drainertest.Pod{Name: "vm", Change: drainertest.Launcher("vm")}.Object(), drainertest.Pod{Name: "other"}.Object()
	soon := drainertest.Epoch.Add(time.Second)
	for name, tc := range map[string]struct {
		until     time.Time
		wantPosts int
		wantAgain time.Time
	}{
		"nothing to wait for": {wantPosts: 2},
		"not known yet":       {until: soon, wantPosts: 1, wantAgain: soon},
		"waited long enough":  {until: drainertest.Epoch, wantPosts: 2},
	} {
		t.Run(name, func(t *testing.T) {
			planned := made(v1beta1.PolicyEvict, vm, other)
			planned.AwaitMachines(tc.until, drainertest.Epoch)
			if posts := planned.Evictions(); len(posts) != tc.wantPosts || posts[len(posts)-1].Pod != other || !planned.Recheck.Equal(tc.wantAgain) {
				t.Errorf("evictions %+v, again at %s, want %d at %s", posts, planned.Recheck, tc.wantPosts, tc.wantAgain)
			}
		})
	}
}

// A disk that was plugged into a running machine leaves after the machine.
func TestDisksLeaveAfterTheirMachine(t *testing.T) {
	disk := drainertest.Pod{Name: "disk", Change: func(pod *corev1.Pod) {
		pod.Labels["kubevirt.io"] = "hotplug-disk"
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "vm", UID: drainertest.UID("vm"), Controller: ptr.To(true)}}
	}}.Object()
	vm := drainertest.Pod{Name: "vm", Change: drainertest.Launcher("vm")}
	finished := vm
	finished.Phase = corev1.PodSucceeded
	for name, tc := range map[string]struct {
		pods []*corev1.Pod
		want string
	}{
		"the machine is there":            {pods: []*corev1.Pod{disk, vm.Object()}, want: "vm"},
		"the machine has migrated":        {pods: []*corev1.Pod{disk, finished.Object()}, want: "disk vm"},
		"the pod of the machine has gone": {pods: []*corev1.Pod{disk}, want: "disk"},
	} {
		t.Run(name, func(t *testing.T) {
			var posted []string
			for _, e := range made(v1beta1.PolicyEvict, tc.pods...).Evictions() {
				posted = append(posted, e.Pod.Name)
			}
			if got := strings.Join(posted, " "); got != tc.want {
				t.Errorf("evicts %q, want %q", got, tc.want)
			}
		})
	}
}
