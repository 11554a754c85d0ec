// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// view is what is known of one node and its holds at one look, and what came of the steps since.
type view struct {
	name string
	// node is nil when it does not exist.
	node *corev1.Node
	// marks are those that the node carries. sets are those that this server sets.
	marks nodemarks.NodeMarks
	sets  nodemarks.Marks
	// Holds are the holds of the node.
	holdstatus.Holds
	// situation says what the holds together want. It stays for the whole reconcile.
	situation holdstatus.Situation
	// drains says that a hold wants the node drained. It stays for the whole reconcile, too.
	drains bool
	// planned says that the node is to be marked: a hold waits to take it out of service, and may do so soon.
	planned bool
	// gated says that there are gates.
	gated bool
	// named says that a gate has named the node since the last look, and gateHolds that one may hold something for it.
	named, gateHolds bool
	memory           *nodeMemory

	// done are the steps that were done, each with its error.
	done map[step]error
	// live are the holds as readNode found them, and ours is what the node was like before it got the marks of ours that
	// it carries; nil: it carries none.
	live []holdstatus.Hold
	ours *v1beta1.NodeBefore
	// before is what the holds have recorded of the node before its cordon.
	before *v1beta1.NodeBefore
	// waitsFor is what a gate makes the node wait for before it is taken out of service, and keeps before it is given back.
	waitsFor, keeps *holdstatus.Wait
	// cordoned says that the node is cordoned, with all our marks.
	cordoned bool
	drain    holdstatus.DrainFacts
	// statuses are what the statuses of the holds say by now, written or not.
	statuses []holdStatus
}

// look gathers what the caches know. Our own last writes count until a cache shows them.
func (l *leader) look(name string) *view {
	cached := l.watcher.Caches.HoldsOn(name)
	v := &view{
		name: name, sets: l.nodes.marks, done: map[step]error{},
		named: l.memory.takeNamed(name), memory: l.memory.node(name, cached), gated: len(l.gate) > 0,
	}
	if node := l.watcher.Caches.Node(name); node != nil {
		v.node = v.memory.latest.Newest(node)
		v.marks = v.sets.Read(v.node)
	} else {
		v.gateHolds = l.gate.mayHold(name)
	}
	holds := make([]holdstatus.Hold, 0, len(cached))
	for _, m := range cached {
		memory := v.memory.holds[m.UID]
		holds = append(holds, l.hold(v, memory.Latest.Newest(m), memory))
	}
	v.Holds = holdstatus.Together(holds)
	v.situation, v.drains = v.Situation(v.node != nil), v.node != nil && v.Stage() == v1beta1.StageDrain
	v.planned = v.Wait() && l.config.Admission != nil && l.config.Admission.Planned(name)
	return v
}

// hold is a hold of the node as far as it is admitted.
func (l *leader) hold(v *view, maintenance *v1beta1.NodeMaintenance, memory *holdstatus.HoldMemory) holdstatus.Hold {
	now := l.config.Clock.Now()
	h := holdstatus.NewHold(maintenance, memory, now).On(v.node, v.marks, v.sets)
	h.Jobs = l.watcher.Jobs(maintenance)
	switch {
	case !h.DeletionTimestamp.IsZero():
		return h
	case l.config.Admission == nil:
		return h.AdmittedAs(holdstatus.Admitted{Known: true, Stage: h.Spec.Stage}, now)
	default:
		return h.AdmittedAs(l.config.Admission.Admitted(maintenance), now)
	}
}
