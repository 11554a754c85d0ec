// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
)

const eventComponent = "maintenance-apiserver"

// Reasons of the events, on the NodeProfile and on the Node; eventStopped is on the MaintenanceProfile.
const (
	eventStateChanged = "ProfileStateChanged"
	eventAborted      = "ProfileTransitionAborted"
	eventStepFailed   = "ProfileTriggerFailed"
	eventAdopted      = "ProfileAdoptedInPart"
	eventNotAdopted   = "ProfileNotAdopted"
	eventStopped      = "ProfileStoppedAfterCrash"
)

// tell tells people what a write has changed, after it was stored.
func (t *term) tell(before, after *v1beta1.NodeProfile) {
	for _, ended := range newHistory(before, after) {
		transitions.WithLabelValues(after.Spec.Profile, string(ended.Next), string(ended.Result)).Inc()
		if ended.Result == v1beta1.TransitionAborted {
			t.event(after, corev1.EventTypeWarning, eventAborted, abortedText(after, ended))
		}
	}
	if before.Status.State != after.Status.State && before.Status.State != "" {
		if before.Status.Since != nil && after.Status.Since != nil {
			stateDuration.WithLabelValues(after.Spec.Profile, string(before.Status.State)).
				Observe(max(after.Status.Since.Sub(before.Status.Since.Time).Seconds(), 0))
		}
		t.event(after, corev1.EventTypeNormal, eventStateChanged, stateText(after))
	}
	t.tellFailure(before, after)
	if now := notAdopted(after); now != "" && now != notAdopted(before) {
		t.event(after, corev1.EventTypeWarning, eventNotAdopted, fmt.Sprintf("profile %s changes nothing: %s", after.Spec.Profile, now))
	}
}

// notAdopted is the reason why what another controller has left cannot be adopted; empty: it can.
func notAdopted(nodeProfile *v1beta1.NodeProfile) string {
	acting := apimeta.FindStatusCondition(nodeProfile.Status.Conditions, v1beta1.ConditionActing)
	if acting == nil || acting.Reason != v1beta1.ReasonNotAdopted {
		return ""
	}
	return acting.Message
}

// newHistory are the transitions that the write has ended.
func newHistory(before, after *v1beta1.NodeProfile) []v1beta1.TransitionHistory {
	last := len(before.Status.History)
	for i := range after.Status.History {
		ended := &after.Status.History[i]
		if last > 0 && machine.SameEnd(ended, &before.Status.History[last-1]) {
			return after.Status.History[i+1:]
		}
	}
	return after.Status.History
}

// tellFailure tells of the first failure of a step.
func (t *term) tellFailure(before, after *v1beta1.NodeProfile) {
	if after.Status.Transition == nil {
		return
	}
	step := machine.Current(after.Status.Transition)
	if step == nil || step.Failures == 0 {
		return
	}
	if was := before.Status.Transition; was != nil {
		if old := machine.Current(was); old != nil && old.ID == step.ID && old.Failures > 0 {
			return
		}
	}
	t.event(after, corev1.EventTypeWarning, eventStepFailed, fmt.Sprintf("profile %s: trigger %s has failed: %s", after.Spec.Profile, step.Trigger.Name, step.Message))
}

func stateText(nodeProfile *v1beta1.NodeProfile) string {
	status := &nodeProfile.Status
	text := fmt.Sprintf("profile %s is %s", nodeProfile.Spec.Profile, status.State)
	if last := len(status.History) - 1; last >= 0 {
		switch ended := &status.History[last]; {
		case ended.By != "":
			text += fmt.Sprintf(", by %s: %s", ended.By, ended.Reason)
		case ended.Message != "":
			text += ": " + ended.Message
		case ended.Name != "":
			text += ": transition " + ended.Name
		}
	}
	return text
}

func abortedText(nodeProfile *v1beta1.NodeProfile, ended v1beta1.TransitionHistory) string {
	text := fmt.Sprintf("profile %s: transition %s to %s was given up", nodeProfile.Spec.Profile, ended.Name, ended.Next)
	for _, why := range []string{ended.Message, ended.Reason} {
		if why != "" {
			text += ": " + why
		}
	}
	return text
}

// event writes an event on the NodeProfile, and one on the node.
func (t *term) event(about *v1beta1.NodeProfile, kind, reason, message string) {
	message = quote.Cut(message, quote.MaxMessage)
	t.recorder.Event(&corev1.ObjectReference{
		APIVersion: v1beta1.SchemeGroupVersion.String(), Kind: "NodeProfile", Name: about.Name, UID: about.UID,
		ResourceVersion: about.ResourceVersion,
	}, kind, reason, message)
	// The node's name as the UID, as the kubelet does: every version of kubectl describe finds such events.
	t.recorder.Event(&corev1.ObjectReference{
		APIVersion: "v1", Kind: "Node", Name: about.Spec.NodeName, UID: types.UID(about.Spec.NodeName),
	}, kind, reason, message)
}
