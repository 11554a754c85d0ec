// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"slices"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// sayKept has the holds for which the node was taken out of service say what it waits for. Others, which may wait to be
// admitted, only say how far they have come.
func (w holdWriter) sayKept(ctx context.Context, v *view) result {
	took := slices.Clone(v.Ending)
	var others []holdstatus.Hold
	for _, h := range v.Active {
		if h.Recorded {
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
func (w holdWriter) saveKept(ctx context.Context, holds []holdstatus.Hold, wait holdstatus.Wait) result {
	var did result
	if wait.Message == "" {
		return did
	}
	now := metav1.NewTime(w.clock.Now()).Rfc3339Copy()
	for _, h := range holds {
		h.KeptFor = quote.Cut(wait.About, quote.MaxMessage)
		next := h.Told.DeepCopy()
		next.LastError = quote.Cut(wait.Message, quote.MaxMessage)
		if ofLease(wait) {
			apimeta.RemoveStatusCondition(&next.Conditions, v1beta1.ConditionReleased)
		} else {
			apimeta.SetStatusCondition(&next.Conditions, metav1.Condition{
				Type: v1beta1.ConditionReleased, Status: metav1.ConditionFalse, Reason: wait.Reason, Message: next.LastError,
				ObservedGeneration: h.Generation, LastTransitionTime: now,
			})
		}
		if !holdstatus.SameStatus(h.Told, *next) {
			next.LastUpdate = &now
		}
		did.add(w.save(ctx, h, *next, true))
	}
	return did
}

// ofLease says whether somebody else has the lease of the node. That is an error of the give-back, as for the other
// operators that know leases, and no release that is held on purpose.
func ofLease(wait holdstatus.Wait) bool {
	return wait.Reason == v1beta1.ReasonLeaseHeld || wait.Reason == v1beta1.ReasonLeaseLost
}

// sayUnknown has the holds of a node that is left as it is say why: the stage of a hold is not known, or whether
// it is admitted. A node that is in maintenance stays so, and keeps what the gates hold for it.
func (w holdWriter) sayUnknown(ctx context.Context, v *view) result {
	waiting := v.All()
	if v.Recorded != nil {
		waiting = v.Active
	}
	did := w.saveStatuses(ctx, slices.DeleteFunc(slices.Clone(waiting), holdstatus.Hold.StageKnown), v.facts())
	if keeper := holdstatus.Lasting(v.Active)[0]; !keeper.Stays || v.marks.Annotated || v.marks.Tainted {
		known := slices.DeleteFunc(slices.Clone(waiting), func(h holdstatus.Hold) bool { return !h.StageKnown() })
		did.add(w.saveMessage(ctx, known, keptBy(keeper)))
	}
	return did
}

// keptBy says why the node is not given back.
func keptBy(h holdstatus.Hold) string {
	if why := h.Unreadable(); why != "" {
		return fmt.Sprintf("node %s is not given back: the server cannot read what it has stored of NodeMaintenance %s: %s",
			h.Spec.NodeName, h.Name, why)
	}
	if h.Stays {
		return fmt.Sprintf("node %s is not given back yet: the server has to find out first whether NodeMaintenance %s may have it",
			h.Spec.NodeName, h.Name)
	}
	return fmt.Sprintf("node %s is not given back: the stage of NodeMaintenance %s is %q, which this version of the server does not know",
		h.Spec.NodeName, h.Name, h.Spec.Stage)
}

// sayUnanswered says for which gate a node in maintenance did not get an answer. That says nothing of the node, so the
// statuses of its holds stay as they are, and only name the error.
func (w holdWriter) sayUnanswered(ctx context.Context, v *view) result {
	holding := slices.DeleteFunc(slices.Clone(v.Active), func(h holdstatus.Hold) bool { return !h.Cordons() })
	return w.saveError(ctx, holding, v.done[askGates])
}

// sayNotGiven says why the node cannot be given back.
func (w holdWriter) sayNotGiven(ctx context.Context, v *view) result {
	return w.saveError(ctx, v.All(), v.failure(readNode, askKeepers, giveNodeBack))
}

// sayNotReleased says why the gates cannot be given back what they hold for the node.
func (w holdWriter) sayNotReleased(ctx context.Context, v *view) result {
	return w.saveError(ctx, v.Ending, v.done[releaseGates])
}
