// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"fmt"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// Facts are what a reconcile of a node found. The new statuses of its holds follow from them and from the
// old ones.
type Facts struct {
	// Node is the UID of the node; empty when it does not exist.
	Node types.UID
	// Before is what the node was like before it was cordoned.
	Before *v1beta1.NodeBefore
	// Waits is what a gate makes the node wait for; nil when the node need not wait.
	Waits *Wait
	// Cordoned says that the node is cordoned, with all our marks.
	Cordoned bool
	// CordonError says why it could not be cordoned.
	CordonError string
	Drain       DrainFacts
	// ReleaseError says why the gates could not be given back what they hold for the node.
	ReleaseError string
}

// Wait is what a node waits for before it may be taken out of service.
type Wait struct {
	// Reason is the reason of the condition Cordoned, or Released, meanwhile, in CamelCase.
	Reason string
	// Message says in one sentence what is waited for, with numbers. Of a give-back it may be empty, which leaves what
	// was said before: what the node waits for is not known yet.
	Message string
	// About is how Message begins, for a give-back: what is waited for, without the details. An event tells of it when it
	// or Reason changes. Default: all of Message.
	About string
	// Error is what the status shows as lastError meanwhile; empty: nothing is wrong.
	Error string
	// LeaseErrors is how many times in a row the lease of a node in maintenance could not be kept, for the
	// status; 0 for gates that take no lease.
	LeaseErrors int32
	// Failed says that the phase is Failed meanwhile, and not Pending.
	Failed bool
}

// DrainFacts are how far the drain of a node has come.
type DrainFacts struct {
	// ByHold has the drain of each hold; nil while the node's pods are not known.
	ByHold map[types.UID]*HoldDrain
	// Failure is what went wrong; empty when nothing did.
	Failure string
}

// HoldDrain is how far the drain of one hold has come, judged as if the hold were alone.
type HoldDrain struct {
	plan.Progress
	// Moved is how many pods the drain moves in all, gone ones included.
	Moved int
	// Volumes are those that are still attached to the node, without those of pods that stay there.
	Volumes []string
	// VolumesUnknown says that the volumes could not be found out.
	VolumesUnknown bool
	// Empty says that a fresh list from the API server showed nothing left.
	Empty bool
}

// NextStatus returns the hold's new status, which follows from the present one and the facts.
// LastUpdate changes only if something else does.
func NextStatus(h Hold, f Facts, now time.Time) v1beta1.NodeMaintenanceStatus {
	old := h.Present
	s := statusBuilder{next: old.DeepCopy(), old: old, hold: h, facts: f, now: metav1.NewTime(now).Rfc3339Copy()}
	switch {
	case f.Node == "" || h.released():
	case h.Stays:
		return old
	case !h.StageKnown():
		return s.stageUnknown()
	}
	s.next.ObservedGeneration, s.next.LeaseErrorCount = h.Generation, 0
	s.keptNoMore()
	if f.Node != "" && f.Node != old.NodeUID {
		s.newNode()
	}
	s.stage()
	s.progress()
	s.admission()
	s.Expiration()
	if !SameStatus(old, *s.next) {
		s.next.LastUpdate = s.now.DeepCopy()
	}
	return *s.next
}

// stage says how far the hold has come.
func (s *statusBuilder) stage() {
	h, f := s.hold, s.facts
	switch {
	case h.released():
		s.Released()
	case f.Node == "":
		s.noNode()
	case h.Spec.Stage == v1beta1.StageIdle:
		s.idle()
	case !h.Cordons():
		s.notAdmitted()
	case f.Waits != nil:
		s.waiting()
	case !f.Cordoned:
		s.cordoning()
	case h.Spec.Stage == v1beta1.StageCordon:
		s.onlyCordoned()
	case !h.Drains():
		s.drainNotAdmitted()
	default:
		s.drain()
	}
}

// SameStatus compares two statuses without LastUpdate.
func SameStatus(a, b v1beta1.NodeMaintenanceStatus) bool {
	a.LastUpdate, b.LastUpdate = nil, nil
	return apiequality.Semantic.DeepEqual(a, b)
}

type statusBuilder struct {
	hold  Hold
	facts Facts
	old   v1beta1.NodeMaintenanceStatus
	next  *v1beta1.NodeMaintenanceStatus
	now   metav1.Time
}

func (s *statusBuilder) condition(kind string, status metav1.ConditionStatus, reason, format string, args ...any) {
	apimeta.SetStatusCondition(&s.next.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: quote.Cut(fmt.Sprintf(format, args...), quote.MaxCondition),
		ObservedGeneration: s.hold.Generation, LastTransitionTime: s.now,
	})
}

// newNode starts over: what the status said was about another node of that name, or none.
func (s *statusBuilder) newNode() {
	s.next = &v1beta1.NodeMaintenanceStatus{
		ObservedGeneration: s.hold.Generation, NodeUID: s.facts.Node, LastUpdate: s.old.LastUpdate,
	}
	s.old = *s.next.DeepCopy()
}

func (s *statusBuilder) noNode() {
	reason, message := v1beta1.ReasonNodeNotFound, "node %s does not exist: the maintenance starts when it appears; if the name is wrong, delete this NodeMaintenance"
	if s.old.NodeUID != "" {
		reason = v1beta1.ReasonNodeDeleted
		message = "node %s was deleted during its maintenance; the maintenance starts again when a new one of that name appears"
	}
	s.next.Phase = v1beta1.PhasePending
	s.noDrain()
	s.condition(v1beta1.ConditionCordoned, metav1.ConditionFalse, reason, message, s.hold.Spec.NodeName)
	s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, reason, message, s.hold.Spec.NodeName)
	s.unreleased()
}

func (s *statusBuilder) idle() {
	s.next.Phase = v1beta1.PhasePending
	s.next.NodeBefore = nil
	s.noDrain()
	s.condition(v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonStageIdle, "spec.stage is Idle: this hold does not cordon the node")
	s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonStageIdle, "spec.stage is Idle: this hold evicts no pod")
	s.unreleased()
}

// notAdmitted says that the hold waits. What for is in the condition Admitted, and only there: it changes often.
func (s *statusBuilder) notAdmitted() {
	const message = "this NodeMaintenance does not %s yet, since it waits to be admitted: see the condition Admitted"
	s.next.Phase = v1beta1.PhasePending
	s.next.NodeBefore = nil
	s.noDrain()
	s.condition(v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonNotAdmitted, message, "cordon node "+s.hold.Spec.NodeName)
	s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonNotAdmitted, message, "evict pods from node "+s.hold.Spec.NodeName)
	s.unreleased()
}

// drainNotAdmitted says that the hold has its node cordoned, and that its drain waits.
func (s *statusBuilder) drainNotAdmitted() {
	s.cordoned()
	s.next.Phase = v1beta1.PhasePending
	s.next.LastError = ""
	s.noDrain()
	s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonNotAdmitted,
		"node %s is cordoned, but its drain waits to be admitted: see the condition Admitted", s.hold.Spec.NodeName)
}

// Released says that the hold has ended, and what keeps it from being gone.
func (s *statusBuilder) Released() {
	const message = "this NodeMaintenance was deleted, and node %s needs it no more: only other finalizers keep it (%s)"
	node, finalizers := s.hold.Spec.NodeName, quote.Names(s.hold.Finalizers, quote.MaxNames)
	s.next.Phase, s.next.NodeBefore, s.next.LastError = v1beta1.PhasePending, nil, ""
	s.noDrain()
	s.condition(v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonReleased, message, node, finalizers)
	s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonReleased, message, node, finalizers)
}

// unreleased says why the node is not done with although it needs nothing more; nothing else is wrong.
func (s *statusBuilder) unreleased() {
	s.next.LastError = quote.Cut(s.facts.ReleaseError, quote.MaxMessage)
}

// waiting writes what the node waits for before it may be taken out of service, or before its drain may go on.
func (s *statusBuilder) waiting() {
	waits := s.facts.Waits
	s.next.Phase = v1beta1.PhasePending
	if waits.Failed {
		s.next.Phase = v1beta1.PhaseFailed
	}
	s.next.NodeBefore = s.facts.Before
	s.condition(v1beta1.ConditionCordoned, metav1.ConditionFalse, waits.Reason, "%s", waits.Message)
	s.noDrain()
	s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, waits.Reason, "%s", waits.Message)
	s.next.LastError, s.next.LeaseErrorCount = quote.Cut(waits.Error, quote.MaxMessage), waits.LeaseErrors
}

func (s *statusBuilder) cordoning() {
	s.next.Phase = v1beta1.PhaseRunning
	s.wantsNode()
	s.next.NodeBefore = s.facts.Before
	s.next.Deadline = s.hold.deadline(s.next.StartTime)
	s.setError(s.facts.CordonError)
	if s.facts.CordonError != "" {
		s.condition(v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonCordonFailed, "%s", s.facts.CordonError)
		s.undrained()
	}
	s.unblocked()
}

// wantsNode drops what was said while the hold was not to have its node cordoned. It is not so any more, and what comes next
// is not known yet.
func (s *statusBuilder) wantsNode() {
	for _, kind := range []string{v1beta1.ConditionCordoned, v1beta1.ConditionDrained} {
		reason := ConditionReason(*s.next, kind)
		waits := kind == v1beta1.ConditionDrained && s.hold.Waits()
		if reason == v1beta1.ReasonStageIdle || (reason == v1beta1.ReasonNotAdmitted && !waits) {
			apimeta.RemoveStatusCondition(&s.next.Conditions, kind)
		}
	}
}

// undrained takes Drained back: new pods may come to the node, and their eviction is another drain.
func (s *statusBuilder) undrained() {
	if !Drained(s.old) {
		return
	}
	s.next.StartTime, s.next.Deadline, s.next.DrainedTime = nil, nil, nil
	s.next.DrainProgress, s.next.EvictionPods = nil, 0
	s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonCordonFailed,
		"node %s is not cordoned any more, so new pods may come to it; once it is cordoned again, it is drained again", s.hold.Spec.NodeName)
}

func (s *statusBuilder) onlyCordoned() {
	s.cordoned()
	s.next.Phase = v1beta1.PhaseSucceeded
	s.next.LastError = ""
	s.noDrain()
	s.condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonStageCordon,
		"spec.stage is Cordon: this hold evicts no pod from node %s; to empty the node, set spec.stage to Drain", s.hold.Spec.NodeName)
}

func (s *statusBuilder) cordoned() {
	s.next.NodeBefore = s.facts.Before
	if reason := ConditionReason(s.old, v1beta1.ConditionCordoned); reason == v1beta1.ReasonLeaseHeld || reason == v1beta1.ReasonLeaseLost {
		s.next.LastError = "" // it said whose the lease was
	}
	s.condition(v1beta1.ConditionCordoned, metav1.ConditionTrue, v1beta1.ReasonCordoned, "node %s is cordoned", s.hold.Spec.NodeName)
}

// noDrain clears all that the status says of a drain, because there is none.
func (s *statusBuilder) noDrain() {
	s.next.StartTime, s.next.Deadline, s.next.DrainedTime = nil, nil, nil
	s.next.DrainProgress, s.next.EvictionPods, s.next.TotalPods = nil, 0, 0
	s.next.PendingPods, s.next.PendingPodCount, s.next.SkippedPodCount = nil, 0, 0
	apimeta.RemoveStatusCondition(&s.next.Conditions, v1beta1.ConditionVolumesDetached)
	s.unblocked()
}

// progress sees to it that a hold has a progress if, and only if, it asks for a drain.
func (s *statusBuilder) progress() {
	switch {
	case s.hold.Spec.Stage != v1beta1.StageDrain || s.hold.released():
		s.next.DrainProgress = nil
	case s.next.DrainProgress == nil:
		s.next.DrainProgress = ptr.To[int32](0)
	}
}

func (s *statusBuilder) unblocked() {
	s.next.Blockers, s.next.BlockedPodCount = nil, 0
	s.condition(v1beta1.ConditionBlocked, metav1.ConditionFalse, v1beta1.ReasonNotBlocked, "nothing keeps a pod from leaving")
}

// setError writes the error. If there is none, it keeps the last one, which is cleared when the work
// has succeeded.
func (s *statusBuilder) setError(message string) {
	if message != "" {
		s.next.LastError = quote.Cut(message, quote.MaxMessage)
	}
}

// stageUnknown says that nothing is done for a stage that only a newer version knows.
func (s *statusBuilder) stageUnknown() v1beta1.NodeMaintenanceStatus {
	s.next.LastError = quote.Cut(fmt.Sprintf("spec.stage is %q, which this version of the server does not know: nothing is done for this "+
		"NodeMaintenance, and node %s is not given back, until a newer version of the server runs, or the stage is set to Idle, Cordon or Drain",
		s.hold.Spec.Stage, s.hold.Spec.NodeName), quote.MaxMessage)
	if s.next.LastError != s.old.LastError {
		s.next.LastUpdate = s.now.DeepCopy()
	}
	return *s.next
}
