// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// check judges each write of the client.
func (w *world) check(before, after *unstructured.Unstructured) {
	w.tell("write: %s %s %v replicas %d", after.GetKind(), after.GetName(), after.GetAnnotations(), replicasOf(after))
	switch {
	case after.GetKind() == "Machine" && after.GetDeletionTimestamp() != nil && before.GetDeletionTimestamp() == nil:
		w.deleted(after)
	case after.GetKind() != "Machine":
		w.scaled(before, after)
	}
}

// scaled checks a write of the owner.
func (w *world) scaled(before, after *unstructured.Unstructured) {
	if count := replicasOf(after); count < w.wanted {
		w.errorf("the owner was scaled to %d, but %d are wanted", count, w.wanted)
	}
	if grown := replicasOf(after) - replicasOf(before); grown > 1 || grown < -1 {
		w.errorf("the owner was scaled by %d at once", grown)
	}
	for _, uid := range surgedFor(after) {
		if !slices.Contains(surgedFor(before), uid) {
			w.surged(types.UID(uid))
		}
	}
}

func (w *world) surged(uid types.UID) {
	for _, e := range w.events {
		if e.uid != uid {
			continue
		}
		if e.surges++; e.surges > 1 {
			w.errorf("%s: a machine was added %d times", uid, e.surges)
		}
	}
}

// deleted checks a delete of the client.
func (w *world) deleted(machine *unstructured.Unstructured) {
	switch e := w.eventOf(machine.GetName()); {
	case e == nil:
		w.errorf("machine %s was deleted, which no event replaces", machine.GetName())
	case !e.empty:
		w.errorf("%s: machine %s was deleted before its node was empty", e.uid, machine.GetName())
	}
}

// taken checks which machine the set has taken away: one that nobody marked only if an admin has lowered the replicas.
func (w *world) taken(machine *unstructured.Unstructured) {
	e := w.eventOf(machine.GetName())
	busy := e != nil && !e.empty
	switch {
	case w.marked(machine) && !busy:
	case w.spare > 0:
		w.spare--
	case busy:
		w.errorf("%s: the set took machine %s before its node was empty", e.uid, machine.GetName())
	default:
		w.errorf("the set took machine %s, which is not marked", machine.GetName())
	}
}
