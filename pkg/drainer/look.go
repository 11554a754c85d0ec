// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
)

// view is what is known of one node and its holds at one look.
type view struct {
	name string
	// node is nil when it does not exist.
	node *corev1.Node
	// marks are those that the node carries.
	marks nodeMarks
	// active are the holds that count; ending are being deleted.
	active, ending []hold
	// released are being deleted, and only the finalizers of others keep them.
	released []hold
	// named says that a gate has named the node since the last look.
	named  bool
	memory *nodeMemory
}

// look gathers what the caches know. Our own last writes count until a cache shows them.
func (l *leader) look(name string) *view {
	cached := l.watcher.caches.holdsOn(name)
	v := &view{name: name, named: l.memory.takeNamed(name), memory: l.memory.node(name, cached)}
	if node := l.watcher.caches.node(name); node != nil {
		v.node = v.memory.latest.newest(node)
		v.marks = l.nodes.marks.read(v.node)
	}
	holds := make([]hold, 0, len(cached))
	for _, m := range cached {
		memory := v.memory.holds[m.UID]
		holds = append(holds, l.hold(v, memory.latest.newest(m), memory))
	}
	v.active, v.ending = split(holds)
	v.released = slices.DeleteFunc(holds, func(h hold) bool { return !h.released() })
	return v
}

func (v *view) holds() []hold { return slices.Concat(v.active, v.ending) }

// kept says whether a hold keeps the node from being given back.
func (v *view) kept() bool { return len(lasting(v.active)) > 0 }

// stage is the stage that the holds together ask for: the highest that is known.
func (v *view) stage() v1beta1.MaintenanceStage { return highestStage(v.active) }

// sees records the node as the API server has just returned it.
func (v *view) sees(node *corev1.Node, marks nodeMarks) {
	v.memory.latest.wrote(v.node.ResourceVersion, node)
	v.node, v.marks = node, marks
}

// hold is a NodeMaintenance as a look at its node finds it.
type hold struct {
	plan.Hold
	// told is what its status said when we last wrote it. What others write there does not count.
	told v1beta1.NodeMaintenanceStatus
	// present is what its status says by now: told, or what was worked out since and could not be
	// written yet.
	present v1beta1.NodeMaintenanceStatus
	// memory is nil for a hold that is only read.
	memory *holdMemory
	// news is what its status is to say of its admission; nil: what it says already.
	news *admissionNews
	// stays says that all of its status stays as it is: it is not known how far the hold may go.
	stays bool
	// again is after how long its admission is to be asked for again if nothing happens; zero: never.
	again time.Duration
	// keptFor is how the message begins that says what keeps the node from being given back; empty: it is not known.
	keptFor string
}

func newHold(maintenance *v1beta1.NodeMaintenance, memory *holdMemory, now time.Time) hold {
	stored := begun(maintenance)
	h := hold{Hold: plan.NewHold(maintenance), told: stored, present: stored, memory: memory}
	if memory != nil {
		h.told = memory.said.settle(maintenance.Status, func() v1beta1.NodeMaintenanceStatus { return plausible(maintenance, now) })
		h.present = memory.writes.present(maintenance, h.told)
	}
	h.told, h.present = withApprovalsOf(h.told, maintenance.Status), withApprovalsOf(h.present, maintenance.Status)
	return h.settled(now)
}

// split divides the holds of a node into those that count and those that are being deleted, each sorted
// by name so that what is derived from them does not flap. A hold that only somebody else's finalizer
// keeps has ended, and is in neither.
func split(holds []hold) (active, ending []hold) {
	slices.SortFunc(holds, func(a, b hold) int { return cmp.Compare(a.Name, b.Name) })
	for _, h := range holds {
		switch {
		case h.DeletionTimestamp.IsZero():
			active = append(active, h)
		case !h.released():
			ending = append(ending, h)
		}
	}
	return active, ending
}

// deadline is when the drain that began at start is to be done; nil without a limit.
func (h hold) deadline(start *metav1.Time) *metav1.Time {
	timeout := h.Spec.Drain.TimeoutSeconds
	if timeout == nil || start == nil {
		return nil
	}
	return &metav1.Time{Time: start.Add(time.Duration(*timeout) * time.Second)}
}

// deletes says whether the hold deletes the pods that are left: it is past its deadline.
func (h hold) deletes(now time.Time) bool {
	deadline := h.deadline(h.present.StartTime)
	return h.Drains() && h.Spec.Drain.OnTimeout == v1beta1.OnTimeoutDelete &&
		deadline != nil && !now.Before(deadline.Time) && !drained(h.present)
}

// cordons says whether the hold alone would have the node cordoned.
func (h hold) cordons() bool { return cordonsAt(h.Stage) }

// ended says whether the hold asks for nothing, now or any more, and at most waits for the node to be
// given back. What a stage asks for that is not known is not known either.
func (h hold) ended() bool { return !h.DeletionTimestamp.IsZero() || (h.stageKnown() && !h.cordons()) }

// released says whether the hold was deleted and has ended, so that only the finalizers of others keep it.
func (h hold) released() bool {
	return !h.DeletionTimestamp.IsZero() && !slices.Contains(h.Finalizers, v1beta1.UncordonFinalizer)
}

// deleted is when the hold was deleted; zero when it was not.
func (h hold) deleted() time.Time {
	if h.DeletionTimestamp == nil {
		return time.Time{}
	}
	return h.DeletionTimestamp.Time
}

func highestStage(holds []hold) v1beta1.MaintenanceStage {
	highest := v1beta1.StageIdle
	for _, h := range holds {
		if stageRank(h.Stage) > stageRank(highest) {
			highest = h.Stage
		}
	}
	return highest
}

func stageRank(stage v1beta1.MaintenanceStage) int {
	return slices.Index([]v1beta1.MaintenanceStage{v1beta1.StageIdle, v1beta1.StageCordon, v1beta1.StageDrain}, stage)
}
