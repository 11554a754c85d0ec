// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// sayKept has the holds for which the node was taken out of service say what it waits for. Others, which may wait to be
// admitted, only say how far they have come.
func (w holdWriter) sayKept(ctx context.Context, v *view) result {
	took := slices.Clone(v.ending)
	var others []hold
	for _, h := range v.active {
		if h.recorded {
			took = append(took, h)
		} else {
			others = append(others, h)
		}
	}
	did := w.saveKept(ctx, took, *v.keeps)
	did.add(w.saveStatuses(ctx, others, v.facts()))
	return did
}

// saveKept writes into the holds' status what a node waits for that no hold needs any more. Nobody tries again before
// something happens, so the result says when to write what must not be written now.
func (w holdWriter) saveKept(ctx context.Context, holds []hold, wait Wait) result {
	var did result
	if wait.Message == "" {
		return did
	}
	now := metav1.NewTime(w.clock.Now()).Rfc3339Copy()
	for _, h := range holds {
		h.keptFor = quote.Cut(wait.About, quote.MaxMessage)
		next := h.told.DeepCopy()
		next.LastError = quote.Cut(wait.Message, quote.MaxMessage)
		if ofLease(wait) {
			apimeta.RemoveStatusCondition(&next.Conditions, v1beta1.ConditionReleased)
		} else {
			apimeta.SetStatusCondition(&next.Conditions, metav1.Condition{
				Type: v1beta1.ConditionReleased, Status: metav1.ConditionFalse, Reason: wait.Reason, Message: next.LastError,
				ObservedGeneration: h.Generation, LastTransitionTime: now,
			})
		}
		if !sameStatus(h.told, *next) {
			next.LastUpdate = &now
		}
		did.add(w.save(ctx, h, *next, true))
	}
	return did
}

// ofLease says whether somebody else has the lease of the node. That is an error of the give-back, as for the other
// operators that know leases, and no release that is held on purpose.
func ofLease(wait Wait) bool {
	return wait.Reason == v1beta1.ReasonLeaseHeld || wait.Reason == v1beta1.ReasonLeaseLost
}

func (c statusWritten) keptForTheSame(before, now string) bool {
	return before == now || (c.hold.keptFor != "" && strings.HasPrefix(before, c.hold.keptFor))
}

// kept is the condition that says what keeps the node from being given back; nil when nothing does.
func kept(status v1beta1.NodeMaintenanceStatus) *metav1.Condition {
	return apimeta.FindStatusCondition(status.Conditions, v1beta1.ConditionReleased)
}

// keptNoMore clears what the status says of that.
func (s *statusBuilder) keptNoMore() {
	if kept(*s.next) != nil {
		s.next.LastError = ""
		apimeta.RemoveStatusCondition(&s.next.Conditions, v1beta1.ConditionReleased)
	}
}

// keptEvents are about a node that is kept although no hold needs it any more, once for each change of what for. Details
// may change often.
func (c statusWritten) keptEvents() []event {
	before, now := kept(c.old), kept(c.next)
	if now == nil || (before != nil && before.Reason == now.Reason && c.keptForTheSame(before.Message, now.Message)) {
		return nil
	}
	kind := corev1.EventTypeNormal
	if now.Reason == v1beta1.ReasonReleaseTimedOut {
		kind = corev1.EventTypeWarning
	}
	return onBoth(c.hold, kind, eventReleaseHeld, "node %s is not given back yet for %s: %s", c.hold.Spec.NodeName, c.hold.Name, now.Message)
}
