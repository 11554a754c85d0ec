// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

const eventComponent = "maintenance-apiserver"

// tell tells people what a write has changed, after it was stored.
func (t *term) tell(v *view, written *v1beta1.ScheduledEvent) {
	before, after := v.event.Status.Replacement, written.Status.Replacement
	for _, note := range append(v.decision.Notes, decision.ReplacementNotes(before, after)...) {
		if note.Reason == decision.ReasonLateStart {
			lateStarts.Inc()
		}
		if note.Reason != decision.ReasonStartedInSpiteOfPolicies {
			t.send(written, note)
		}
	}
	if after != nil && replacement.Ended(after.Step) && (before == nil || before.Step != after.Step) {
		replacements.WithLabelValues(string(after.Step)).Inc()
	}
}

// tellHold tells people what a write of the hold has changed.
func (t *term) tellHold(v *view) {
	for _, note := range v.decision.Notes {
		if note.Reason == decision.ReasonStartedInSpiteOfPolicies {
			t.send(v.event, note)
		}
	}
}

// send writes a Kubernetes event on the ScheduledEvent, and one on its node where that helps.
func (t *term) send(about *v1beta1.ScheduledEvent, note decision.Note) {
	message := quote.Cut(note.Message, quote.MaxMessage)
	t.recorder.Event(&corev1.ObjectReference{
		APIVersion: v1beta1.SchemeGroupVersion.String(), Kind: "ScheduledEvent", Name: about.Name, UID: about.UID,
		ResourceVersion: about.ResourceVersion,
	}, note.Type, note.Reason, message)
	if !note.OnNode || about.Status.NodeName == "" {
		return
	}
	// The node's name as the UID, as the kubelet does: every version of kubectl describe finds such events.
	t.recorder.Event(&corev1.ObjectReference{
		APIVersion: "v1", Kind: "Node", Name: about.Status.NodeName, UID: types.UID(about.Status.NodeName),
	}, note.Type, note.Reason, message)
}
