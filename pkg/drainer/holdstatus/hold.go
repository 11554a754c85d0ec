// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
)

// Hold is a NodeMaintenance as a look at its node finds it.
type Hold struct {
	plan.Hold
	// Told is what its status said when we last wrote it. What others write there does not count.
	Told v1beta1.NodeMaintenanceStatus
	// Present is what its status says by now: told, or what was worked out since and could not be
	// written yet.
	Present v1beta1.NodeMaintenanceStatus
	// Memory is nil for a hold that is only read.
	Memory *HoldMemory
	// sameNode says that its status is about the node that exists now, and recorded that it says what that was like before.
	sameNode, Recorded bool
	// complete says that it has recorded all that this server changes of a node, and lacks that it is to have its node
	// cordoned, and has not stored all that must be stored before that.
	complete, Lacks bool
	// Imported says that the node carries a taint of the operator that the hold was imported from, which goes when the
	// node is given back. Only a hold that has a record tells of them: without one, the node was given back already.
	Imported bool
	// taken says that the hold has taken the node out of service, and the node still shows that.
	taken bool
	// news is what its status is to say of its admission; nil: what it says already.
	news *admissionNews
	// Stays says that all of its status stays as it is: it is not known how far the hold may go.
	Stays bool
	// Again is the time after which its admission is to be asked for again if nothing happens; zero: never.
	Again time.Duration
	// KeptFor is how the message begins that says what keeps the node from being given back; empty: it is not known.
	KeptFor string
}

// NewHold returns the hold as far as its NodeMaintenance and what is remembered of it say.
func NewHold(maintenance *v1beta1.NodeMaintenance, memory *HoldMemory, now time.Time) Hold {
	h := Hold{Hold: plan.NewHold(maintenance), Memory: memory}
	h.Told = begun(maintenance)
	h.Present = h.Told
	if memory != nil {
		h.Told = memory.Said.Settle(maintenance.Status, func() v1beta1.NodeMaintenanceStatus { return plausible(maintenance, now) })
		h.Present = memory.Writes.present(maintenance, h.Told)
	}
	h.Told, h.Present = withApprovalsOf(h.Told, maintenance.Status), withApprovalsOf(h.Present, maintenance.Status)
	return h.settled(now)
}

// On is the hold with what the node says of it. What another operator has taken, as an import says, counts until this
// server has the node in maintenance: whoever creates a hold says it.
func (h Hold) On(node *corev1.Node, carried nodemarks.NodeMarks, sets nodemarks.Marks) Hold {
	h.sameNode = node != nil && h.Told.NodeUID == node.UID
	h.Recorded = h.sameNode && h.Told.NodeBefore != nil
	h.complete = h.Recorded && sets.Recorded(*h.Told.NodeBefore)
	h.Imported = h.Recorded && OutBeforeImport(node, h.Annotations)
	h.taken = h.Recorded && (carried.TookFor(h.NodeMaintenance) || ((!carried.Annotated || carried.Anothers) && h.Imported))
	return h
}

// As is the hold as its status was just written.
func (h Hold) As(written *v1beta1.NodeMaintenance, node *corev1.Node, carried nodemarks.NodeMarks, sets nodemarks.Marks, now time.Time) Hold {
	again := NewHold(written, h.Memory, now).On(node, carried, sets)
	again.Jobs, again.Stage, again.news, again.Stays, again.Again = h.Jobs, h.Stage, h.news, h.Stays, h.Again
	return again.settled(now)
}

// settled is the hold with what follows from its stage. It deletes the pods that are left when it is past its deadline.
func (h Hold) settled(now time.Time) Hold {
	deadline := h.deadline(h.Present.StartTime)
	h.Deletes = h.Drains() && h.Spec.Drain.OnTimeout == v1beta1.OnTimeoutDelete &&
		deadline != nil && !now.Before(deadline.Time) && !Drained(h.Present)
	h.Lacks = h.Cordons() && (!h.complete || !h.AdmissionStored())
	return h
}

// deadline is the time when the drain that began at start is to be done; nil without a limit.
func (h Hold) deadline(start *metav1.Time) *metav1.Time {
	timeout := h.Spec.Drain.TimeoutSeconds
	if timeout == nil || start == nil {
		return nil
	}
	return &metav1.Time{Time: start.Add(time.Duration(*timeout) * time.Second)}
}
