// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"slices"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

// view is what is known of one node and its holds at one look, and what came of the steps since.
type view struct {
	name string
	// node is nil when it does not exist.
	node *corev1.Node
	// marks are those that the node carries. sets are those that this server sets.
	marks nodemarks.NodeMarks
	sets  nodemarks.Marks
	// active are the holds that count; ending are being deleted.
	active, ending []holdstatus.Hold
	// released are being deleted, and only the finalizers of others keep them.
	released []holdstatus.Hold
	// situation says what the holds together want. It stays for the whole reconcile.
	situation situation
	// recorded is what the lasting holds have recorded of the node before its cordon; nil: none has.
	recorded *v1beta1.NodeBefore
	// unread are the holds that cannot be read, each with why.
	unread []string
	// again is after how long what the holds wait for is to be looked at again if nothing happens; zero: never.
	again time.Duration
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

// situation is what the holds of a node together want.
type situation int

const (
	// wanted is a node that a hold wants to have cordoned.
	wanted situation = iota
	// unheld is a node without holds, and gone one that does not exist.
	unheld
	gone
	// unwanted is a node that is to be in service.
	unwanted
	// undecided is a node that is left as it is: the stage of a hold is not known, or whether it is admitted.
	undecided
)

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
	v.holdsAre(holds)
	v.planned = v.waits() && l.config.Admission != nil && l.config.Admission.Planned(name)
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

// holdsAre takes in the holds of the node, and works out what follows from them together.
func (v *view) holdsAre(holds []holdstatus.Hold) {
	v.active, v.ending = holdstatus.Split(holds)
	v.released = slices.DeleteFunc(holds, func(h holdstatus.Hold) bool { return !h.Released() })
	v.recorded = holdstatus.RecordedBefore(holdstatus.Lasting(v.active))
	v.situation = v.situated()
	for _, h := range v.active {
		v.again = due.Sooner(v.again, h.Again)
		if why := h.Unreadable(); why != "" {
			v.unread = append(v.unread, fmt.Sprintf("%s (%s)", h.Name, why))
		}
	}
}

// situated says what the holds together want.
func (v *view) situated() situation {
	switch {
	case len(v.holds()) == 0:
		return unheld
	case v.node == nil:
		return gone
	case !v.kept():
		return unwanted
	case v.stage() == v1beta1.StageIdle:
		return undecided
	default:
		return wanted
	}
}

func (v *view) holds() []holdstatus.Hold { return slices.Concat(v.active, v.ending) }

// kept says whether a hold keeps the node from being given back.
func (v *view) kept() bool { return len(holdstatus.Lasting(v.active)) > 0 }

// stage is the stage that the holds together ask for: the highest that is known.
func (v *view) stage() v1beta1.MaintenanceStage { return holdstatus.HighestStage(v.active) }

// waits says whether a hold waits that the node is not cordoned for yet.
func (v *view) waits() bool {
	return slices.ContainsFunc(v.active, func(h holdstatus.Hold) bool { return h.Waits() && !h.Cordons() })
}
