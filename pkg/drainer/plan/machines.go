// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/virtualmachine"
)

// machine is what becomes of the virtual machine of a pod that is to be evicted. The pod of a machine
// that has left is finished, and is evicted as any other finished pod.
func (p *planner) machine(going Pod) virtualmachine.State {
	if going.Action != v1beta1.PlanEvict || eviction.Finished(going.Pod) {
		return virtualmachine.State{}
	}
	return p.Machines[going.Pod.UID]
}

// asks says whether the eviction is posted even while a budget forbids it. KubeVirt has a budget for each
// machine that is to migrate, and that budget never has room. The API server asks KubeVirt's webhook
// first, and only that begins the migration.
func (p Pod) asks() bool {
	return virtualmachine.IsLauncher(p.Pod) && p.machine.Phase != virtualmachine.Stops
}

// machineBlocker is what keeps the pod of a virtual machine from leaving. It is not decided here for a pod
// that is evicted as any other.
func (p *planner) machineBlocker(going Pod, tried eviction.Attempt) (blocker *v1beta1.DrainBlocker, decided bool) {
	webhook := tried.Last.Outcome == eviction.AdmissionWebhook
	switch of := going.machine; {
	case of.Stuck(webhook && virtualmachine.IsWebhook(tried.Last.Object)):
		return stuckMachine(going), true
	case of.Moves(), of.Phase == virtualmachine.Failed:
		return movingMachine(going), true
	case !going.asks() || eviction.Finished(going.Pod):
		return nil, false
	}
	permit := eviction.PermitFor(going.Pod, p.Budgets.Selecting(going.Pod), p.room)
	switch {
	case permit.Allowed:
		return nil, false
	case going.machine.Phase == virtualmachine.Unknown && !webhook && !slices.ContainsFunc(permit.BlockedBy, ofMachine):
		return nil, false // nothing tells that KubeVirt moves the machine
	case tried.Last.Outcome == eviction.DisruptionBudget:
		return budgetOfMachine(going.Pod, permit.BlockedBy[0]), true
	default:
		return attemptBlocker(going.Pod, tried), true // nil before the first request
	}
}

// ofMachine says whether KubeVirt made the budget, for a machine that it moves itself.
func ofMachine(b *eviction.Budget) bool { return virtualmachine.IsMachine(b.Controller) }

func movingMachine(going Pod) *v1beta1.DrainBlocker {
	return &v1beta1.DrainBlocker{
		Pod: key(going.Pod), Reason: v1beta1.BlockerVirtualMachineMigrating,
		Object: going.machine.Object, Message: going.machine.Message,
	}
}

func stuckMachine(going Pod) *v1beta1.DrainBlocker {
	return &v1beta1.DrainBlocker{
		Pod: key(going.Pod), Reason: v1beta1.BlockerVirtualMachineNotMigratable, Permanent: true,
		Object: going.machine.Object, Message: going.machine.Message,
	}
}

// budgetOfMachine is the blocker of a pod whose webhook let the eviction pass. Releases of KubeVirt that do
// so while a machine migrates leave it to their budget to refuse it. So it is never permanent.
func budgetOfMachine(pod *corev1.Pod, b *eviction.Budget) *v1beta1.DrainBlocker {
	return &v1beta1.DrainBlocker{
		Pod: key(pod), Reason: v1beta1.BlockerDisruptionBudget, Object: b.Object(),
		Message: fmt.Sprintf("budget %s keeps the virtual machine's pod; KubeVirt's own budgets do that until the machine has migrated, "+
			"which kubectl get vmim shows; the eviction is retried", b.Name),
	}
}

// machineNote says what an eviction does to the pod's virtual machine.
func (p Pod) machineNote() string {
	switch {
	case p.Action != v1beta1.PlanEvict || !virtualmachine.IsLauncher(p.Pod) || eviction.Finished(p.Pod):
		return ""
	case p.machine.Phase == virtualmachine.Unknown:
		return "a virtual machine: KubeVirt decides whether it is migrated or stopped"
	case p.Blocker != nil && p.Blocker.Message == p.machine.Message:
		return "" // the blocker says it
	case p.machine.Doubtful:
		return "its virtual machine is stopped, or blocks the drain if KubeVirt's default evictionStrategy is LiveMigrate: " + p.machine.Message
	default:
		return p.machine.Message
	}
}
