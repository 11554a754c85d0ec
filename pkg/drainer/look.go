// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// view is what is known of one node and its holds at one look, and what came of the steps since.
type view struct {
	name string
	// node is nil when it does not exist.
	node *corev1.Node
	// marks are those that the node carries. sets are those that this server sets.
	marks nodeMarks
	sets  marks
	// active are the holds that count; ending are being deleted.
	active, ending []hold
	// released are being deleted, and only the finalizers of others keep them.
	released []hold
	// situation says what the holds together want. It stays for the whole reconcile.
	situation situation
	// named says that a gate has named the node since the last look, and gateHolds that one may hold something for it.
	named, gateHolds bool
	memory           *nodeMemory

	// done are the steps that were done, each with its error.
	done map[step]error
	// live are the holds as readNode found them, and ours is what the node was like before it got the marks of ours that
	// it carries; nil: it carries none.
	live []hold
	ours *v1beta1.NodeBefore
	// before is what the holds have recorded of the node before its cordon.
	before *v1beta1.NodeBefore
	// waits is what a gate makes the node wait for before it is taken out of service, and keeps before it is given back.
	waits, keeps *Wait
	// cordoned says that the node is cordoned, with all our marks.
	cordoned bool
	drain    drainFacts
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
	cached := l.watcher.caches.holdsOn(name)
	v := &view{
		name: name, sets: l.nodes.marks, done: map[step]error{},
		named: l.memory.takeNamed(name), memory: l.memory.node(name, cached),
	}
	if node := l.watcher.caches.node(name); node != nil {
		v.node = v.memory.latest.newest(node)
		v.marks = v.sets.read(v.node)
	} else {
		v.gateHolds = l.gate.mayHold(name)
	}
	holds := make([]hold, 0, len(cached))
	for _, m := range cached {
		memory := v.memory.holds[m.UID]
		holds = append(holds, l.hold(v, memory.latest.newest(m), memory))
	}
	v.active, v.ending = split(holds)
	v.released = slices.DeleteFunc(holds, func(h hold) bool { return !h.released() })
	v.situation = v.situated()
	return v
}

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

func (v *view) holds() []hold { return slices.Concat(v.active, v.ending) }

// kept says whether a hold keeps the node from being given back.
func (v *view) kept() bool { return len(lasting(v.active)) > 0 }

// stage is the stage that the holds together ask for: the highest that is known.
func (v *view) stage() v1beta1.MaintenanceStage { return highestStage(v.active) }

// sees records the node as the API server has just returned it.
func (v *view) sees(node *corev1.Node) {
	v.memory.latest.wrote(v.node.ResourceVersion, node)
	v.node, v.marks = node, v.sets.read(node)
	for i, h := range v.active {
		v.active[i] = h.on(v)
	}
}

// facts are what the statuses of the holds follow from.
func (v *view) facts() facts {
	f := facts{before: v.before, waits: v.waits, cordoned: v.cordoned, drain: v.drain}
	if v.node != nil {
		f.node = v.node.UID
	}
	if err := v.failure(askGates, cordonNode); err != nil {
		f.cordonError = err.Error()
	}
	if err := v.done[releaseGates]; err != nil {
		f.releaseError = err.Error()
	}
	return f
}

// readNode reads the node and its holds from the API server. It fails with errCacheBehind when the node is another one,
// and when it is to be given back, but a hold wants it.
func (l *leader) readNode(ctx context.Context, v *view) result {
	node, maintenances, err := l.watcher.live.nodeAndHolds(ctx, v.name)
	if err != nil {
		return result{err: err}
	}
	if node == nil || node.UID != v.node.UID {
		return result{err: errCacheBehind}
	}
	v.sees(node)
	holds := make([]hold, 0, len(maintenances))
	for _, m := range maintenances {
		holds = append(holds, l.hold(v, m, v.memory.holds[m.UID]))
	}
	active, ending := split(holds)
	v.live = slices.Concat(active, ending)
	if v.situation == unheld && len(v.live) > 0 || v.situation == unwanted && len(lasting(active)) > 0 {
		return result{err: errCacheBehind}
	}
	v.ours = v.beforeOurs()
	return result{}
}

// beforeOurs is what the node was like before it got the marks of ours that it carries; nil: it carries none. Its
// annotation says so, too, if the taint is there as well: a kubelet may write annotations on its own node.
func (v *view) beforeOurs() *v1beta1.NodeBefore {
	before := recordedBefore(v.live)
	if before == nil && v.marks.ours && v.marks.tainted {
		before = &v.marks.note.Before
	}
	if before == nil || !v.carriesOurs(*before) {
		return nil
	}
	return before
}

// carriesOurs says whether the node carries marks of ours that it did not have before. A node that
// another store's server holds too is left to that server.
func (v *view) carriesOurs(before v1beta1.NodeBefore) bool {
	if v.marks.annotated {
		return !v.marks.anothers
	}
	return (v.marks.tainted && !slices.Contains(before.Taints, ourTaint.ToString())) ||
		slices.ContainsFunc(v.live, func(h hold) bool { return h.imported })
}

// confirmUnheld asks our own server whether a node in service that a gate named has no hold. Then the gates may
// still hold something for it: the server crashed after the give-back. A node that is not in service may be in
// maintenance by another server or operator.
func (l *leader) confirmUnheld(ctx context.Context, v *view) result {
	holds, err := l.watcher.live.holdsOn(ctx, v.name)
	if err == nil && len(holds) > 0 {
		err = errCacheBehind
	}
	if err != nil {
		l.memory.name(v.name)
		return result{err: err}
	}
	v.memory.unreleased = true
	return result{}
}

// confirmGone asks the API server whether the node does not exist, if something depends on it: an ending hold, or
// what a gate holds. It fails when the node exists, or when that is not known.
func (l *leader) confirmGone(ctx context.Context, v *view) result {
	node, err := l.watcher.live.node(ctx, v.name)
	if err == nil && node != nil {
		err = errCacheBehind
	}
	return result{err: err}
}

// noteUnread reports, once for each set of them, which holds on the node cannot be read.
func noteUnread(v *view) result {
	var unread []string
	for _, h := range v.active {
		if why := h.unreadable(); why != "" {
			unread = append(unread, fmt.Sprintf("%s (%s)", h.Name, why))
		}
	}
	if slices.Equal(unread, v.memory.toldUnread) {
		return result{}
	}
	v.memory.toldUnread = unread
	if len(unread) == 0 {
		return result{}
	}
	return result{changes: []change{nodeUnread{node: v.name, holds: unread}}}
}
