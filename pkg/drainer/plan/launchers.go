// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/virtualmachine"
)

// movesMachine says whether the pod runs a virtual machine that is to leave the node.
func (p Pod) movesMachine() bool {
	return p.Action == v1beta1.PlanEvict && virtualmachine.IsLauncher(p.Pod) && !eviction.Finished(p.Pod)
}

// leavingLaunchers are the UIDs of the pods whose virtual machines are to leave the node.
func (p Plan) leavingLaunchers() sets.Set[types.UID] {
	leaving := sets.New[types.UID]()
	for _, pod := range p.Pods {
		if pod.movesMachine() {
			leaving.Insert(pod.Pod.UID)
		}
	}
	return leaving
}

// MovesMachines says whether virtual machines are to leave the node.
func (p Plan) MovesMachines() bool { return p.leavingLaunchers().Len() > 0 }

// AwaitMachines has no virtual machine's pod evicted before that time, since it is not known yet what an
// eviction would do to the machine. The zero time is no wait.
func (p *Plan) AwaitMachines(until, now time.Time) {
	if !now.Before(until) {
		return
	}
	for i := range p.Pods {
		if p.Pods[i].movesMachine() {
			p.Pods[i].waits = true
			p.Recheck = due.Earlier(p.Recheck, until)
		}
	}
}

// awaitLaunchers has the pods with the disks of a virtual machine evicted only after the machine has left:
// it would lose its disks.
func (p *Plan) awaitLaunchers() {
	leaving := p.leavingLaunchers()
	for i := range p.Pods {
		pod := &p.Pods[i]
		pod.waits = pod.waits || (pod.Action == v1beta1.PlanEvict && leaving.Has(virtualmachine.LauncherOf(pod.Pod)))
	}
}
