// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
)

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
	// sameNode says that its status is about the node that exists now, and recorded that it says what that was like before.
	sameNode, recorded bool
	// complete says that it has recorded all that this server changes of a node, and lacks that it is to have its node
	// cordoned, and has not stored all that must be stored before that.
	complete, lacks bool
	// imported says that the node carries a taint of the operator that the hold was imported from, which goes when the
	// node is given back. Only a hold that has a record tells of them: without one, the node was given back already.
	imported bool
	// taken says that the hold has taken the node out of service, and the node still shows that.
	taken bool
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
	h := hold{Hold: plan.NewHold(maintenance), memory: memory}
	h.told = begun(maintenance)
	h.present = h.told
	if memory != nil {
		h.told = memory.said.settle(maintenance.Status, func() v1beta1.NodeMaintenanceStatus { return plausible(maintenance, now) })
		h.present = memory.writes.present(maintenance, h.told)
	}
	h.told, h.present = withApprovalsOf(h.told, maintenance.Status), withApprovalsOf(h.present, maintenance.Status)
	return h.settled(now)
}

// on is the hold with what the node says of it. What another operator has taken, as an import says, counts until this
// server has the node in maintenance: whoever creates a hold says it.
func (h hold) on(node *corev1.Node, carried nodeMarks, sets marks) hold {
	h.sameNode = node != nil && h.told.NodeUID == node.UID
	h.recorded = h.sameNode && h.told.NodeBefore != nil
	h.complete = h.recorded && sets.recorded(*h.told.NodeBefore)
	h.imported = h.recorded && OutBeforeImport(node, h.Annotations)
	h.taken = h.recorded && (carried.tookFor(h.NodeMaintenance) || ((!carried.annotated || carried.anothers) && h.imported))
	return h
}

// as is the hold as its status was just written.
func (h hold) as(written *v1beta1.NodeMaintenance, node *corev1.Node, carried nodeMarks, sets marks, now time.Time) hold {
	again := newHold(written, h.memory, now).on(node, carried, sets)
	again.Jobs, again.Stage, again.news, again.stays, again.again = h.Jobs, h.Stage, h.news, h.stays, h.again
	return again.settled(now)
}

// settled is the hold with what follows from its stage. It deletes the pods that are left when it is past its deadline.
func (h hold) settled(now time.Time) hold {
	deadline := h.deadline(h.present.StartTime)
	h.Deletes = h.Drains() && h.Spec.Drain.OnTimeout == v1beta1.OnTimeoutDelete &&
		deadline != nil && !now.Before(deadline.Time) && !drained(h.present)
	h.lacks = h.cordons() && (!h.complete || !h.admissionStored())
	return h
}

// deadline is when the drain that began at start is to be done; nil without a limit.
func (h hold) deadline(start *metav1.Time) *metav1.Time {
	timeout := h.Spec.Drain.TimeoutSeconds
	if timeout == nil || start == nil {
		return nil
	}
	return &metav1.Time{Time: start.Add(time.Duration(*timeout) * time.Second)}
}
