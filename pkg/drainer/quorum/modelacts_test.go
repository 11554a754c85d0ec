// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"iter"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// What follows happens to the cluster of a model run.

// most is how many nodes a run has at a time.
const most = 7

func pick(w *world, names iter.Seq[string]) (name string, found bool) {
	all := slices.Sorted(names)
	if len(all) == 0 {
		return "", false
	}
	return all[w.rand.IntN(len(all))], true
}

// any does something to one of the nodes.
func (w *world) any(what string, act func(node *corev1.Node)) {
	if name, found := pick(w, maps.Keys(w.nodes)); found {
		w.note("%s: %s", name, what)
		act(w.nodes[name])
	}
}

// join adds a member. Some have the name of one that left.
func (w *world) join() {
	if len(w.nodes) == most {
		return
	}
	name := w.newName("cp")
	if gone, found := pick(w, maps.Keys(w.holds)); found && w.nodes[gone] == nil && w.rand.IntN(2) == 0 {
		name = gone
	}
	node := newMember(name)
	node.UID = drainertest.UID(w.newName("node"))
	w.note("%s joins as %s", name, node.UID)
	w.put(node)
}

func (w *world) leave() {
	if w.rand.IntN(3) == 0 {
		w.any("leaves", func(node *corev1.Node) {
			w.change(node, func(n *corev1.Node) { n.Status.Conditions = nil })
		})
	}
}

func (w *world) fail()    { w.any("fails", w.setReady(corev1.ConditionUnknown)) }
func (w *world) recover() { w.any("is ready", w.setReady(corev1.ConditionTrue)) }

func (w *world) setReady(status corev1.ConditionStatus) func(*corev1.Node) {
	return func(node *corev1.Node) {
		w.change(node, func(n *corev1.Node) { n.Status.Conditions[0].Status = status })
	}
}

// relabel makes a worker of a member, or the other way round.
func (w *world) relabel() {
	w.any("changes its role", func(node *corev1.Node) {
		w.change(node, func(n *corev1.Node) {
			if labelled(node) {
				delete(n.Labels, "node-role.kubernetes.io/control-plane")
			} else {
				n.Labels["node-role.kubernetes.io/control-plane"] = "yes"
			}
		})
	})
}

func (w *world) hold() {
	w.any("is held", func(node *corev1.Node) {
		hold := drainertest.Hold{Name: w.newName("hold"), Node: node.Name, Change: func(h *v1beta1.NodeMaintenance) {
			h.Spec.OverrideQuorum = w.rand.IntN(8) == 0
		}}
		w.holds[node.Name] = append(w.holds[node.Name], hold.Object())
		w.enqueue(node.Name)
	})
}

// override sets the field of a hold, or takes it back.
func (w *world) override() {
	w.anyHold(func(h *v1beta1.NodeMaintenance) {
		h.Spec.OverrideQuorum = !h.Spec.OverrideQuorum && w.rand.IntN(4) == 0
	})
}

// resume has a hold want its node again.
func (w *world) resume() {
	w.anyHold(func(h *v1beta1.NodeMaintenance) { h.Spec.Stage = v1beta1.StageDrain })
}

// unhold ends a hold: it is deleted, or its stage becomes Idle.
func (w *world) unhold() {
	w.anyHold(func(h *v1beta1.NodeMaintenance) {
		if w.rand.IntN(2) == 0 {
			h.Spec.Stage = v1beta1.StageIdle
		} else {
			drainertest.Release(h)
		}
	})
}

func (w *world) anyHold(change func(*v1beta1.NodeMaintenance)) {
	name, found := pick(w, maps.Keys(w.holds))
	if !found || len(w.holds[name]) == 0 {
		return
	}
	hold := w.holds[name][w.rand.IntN(len(w.holds[name]))]
	w.rewrite(hold, change)
	w.note("%s: its hold %s is changed", name, hold.Name)
	w.enqueue(name)
}

// crash ends the process, and starts another. A cordon that was under way may be carried out still, or not.
func (w *world) crash() {
	if w.rand.IntN(4) != 0 {
		return
	}
	w.note("the server crashes")
	for _, name := range slices.Sorted(maps.Keys(w.cordons)) {
		w.saw["crashed with a cordon under way"]++
		if w.orphans[name] = true; w.rand.IntN(2) == 0 {
			delete(w.cordons, name)
			delete(w.orphans, name)
		}
	}
	w.start()
}
