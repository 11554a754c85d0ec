// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// scaleSet has the deployment's controller pass the replicas on to its set.
func (w *world) scaleSet() {
	if !w.api.deployment {
		return
	}
	set := w.server.All("MachineSet")[0]
	if wanted := replicasOf(w.owner()); replicasOf(set) != wanted {
		setReplicas(set, wanted)
		w.server.Put(set)
	}
}

// keepReplicas has the set's controller add or take one machine. It may know old marks of the machines.
func (w *world) keepReplicas() {
	set := w.server.All("MachineSet")[0]
	mine := w.live()
	if w.api.counts {
		for _, machine := range w.server.All("Machine") {
			if machine.GetDeletionTimestamp() != nil && metav1.GetControllerOf(machine) != nil {
				mine = append([]*unstructured.Unstructured{machine}, mine...)
			}
		}
	}
	switch surplus := int64(len(mine)) - replicasOf(set); {
	case surplus < 0:
		w.addMachine(set)
	case surplus > 0:
		w.take(mine)
	}
}

// take has the set delete one machine: one that is being deleted before a marked one, and that before others.
func (w *world) take(mine []*unstructured.Unstructured) {
	w.random.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
	slices.SortStableFunc(mine, func(a, b *unstructured.Unstructured) int { return w.priority(b) - w.priority(a) })
	victim := mine[0]
	if victim.GetDeletionTimestamp() != nil {
		return
	}
	w.taken(victim)
	w.deleteMachine(victim)
}

// priority is that of a machine when its set is scaled down, as the set's controller knows it.
func (w *world) priority(machine *unstructured.Unstructured) int {
	const deleting, marked = 2, 1
	switch {
	case machine.GetDeletionTimestamp() != nil:
		return deleting
	case w.seen[machine.GetName()].marked:
		return marked
	}
	return 0
}

// notice has the set's controller learn of marks; within less than the delay that they are given.
func (w *world) notice() {
	for _, machine := range w.server.All("Machine") {
		known := w.seen[machine.GetName()]
		if w.marked(machine) == known.marked {
			known.since = w.clock.Now()
		} else if w.chance(50) || w.clock.Since(known.since) > 2*time.Second {
			known = seenMark{marked: w.marked(machine), since: w.clock.Now()}
		}
		w.seen[machine.GetName()] = known
	}
}

func (w *world) marked(machine *unstructured.Unstructured) bool {
	_, found := machine.GetAnnotations()[w.api.marks[0]]
	return found
}

// meanwhile has the controllers go on between two reads of an event's look, and others delete a machine.
func (w *world) meanwhile() {
	if !w.looking || w.quiet || !w.chance(10) {
		return
	}
	w.keepReplicas()
	w.machinesLive()
	if live := w.live(); len(live) > 0 && w.chance(2) {
		w.deleteMachine(live[w.random.IntN(len(live))])
	}
}

func (w *world) deleteMachine(machine *unstructured.Unstructured) {
	w.tell("machine %s is deleted by others", machine.GetName())
	machine.SetDeletionTimestamp(&metav1.Time{Time: w.clock.Now()})
	w.server.Put(machine)
}

// machinesLive has machines come and go.
func (w *world) machinesLive() {
	for _, machine := range w.server.All("Machine") {
		_, registered, _ := unstructured.NestedMap(machine.Object, "status", "nodeRef")
		_, broken, _ := unstructured.NestedString(machine.Object, "spec", "broken")
		switch {
		case machine.GetDeletionTimestamp() != nil:
			if w.chance(20) || w.quiet {
				w.server.Remove(machine)
				w.ready.Delete("node-of-" + machine.GetName())
			}
		case registered || broken && !w.quiet:
		case w.chance(5) && !w.quiet:
			set(machine, "yes", "spec", "broken")
			w.server.Put(machine)
		case w.chance(10) || w.quiet:
			w.register(machine)
		}
	}
}
