// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

const eventComponent = "maintenance-apiserver"

// Reasons of the events, on the NodeMaintenance, and, for a bypass, also on the Node. PolicyStopped is on the policy.
const (
	eventQueued         = "MaintenanceQueued"
	eventAdmitted       = "MaintenanceAdmitted"
	eventApprovalNeeded = "ApprovalNeeded"
	eventBypassed       = "PolicyBypassed"
	eventDeadlineMissed = "StartDeadlineMissed"
	eventPolicyStopped  = "PolicyStopped"
)

// told is what people know of a hold.
type told struct {
	// admitted says that it was admitted, and bypassed that it did not wait for policies.
	admitted, bypassed bool
	// waits says that it waits, and needsApproval that it waits for people.
	waits, needsApproval bool
	// policies are those that it waits for, as a message names them.
	policies string
}

// tell tells people what has changed for holds.
func (t *term) tell(facts decision.Facts, outcome decision.Outcome, before known) {
	for _, hold := range facts.Holds {
		if decided, found := outcome.Holds[hold.UID]; found && !waitsForItsNode(hold, decided) {
			t.tellOf(hold, toldBefore(hold, before), decided, outcome.Ledger)
			t.tellDeadline(hold, waits(outcome, hold), facts.Now)
		}
	}
	t.told = facts.Now
}

// toldBefore is what people were told of a hold: in this term, or by what is stored.
func toldBefore(hold *v1beta1.NodeMaintenance, before known) told {
	if last, found := before.answers[hold.UID]; found && last.admitted.Status != nil {
		return toldBy(last.admitted.Status, last.admitted.Reason)
	}
	condition := apimeta.FindStatusCondition(hold.Status.Conditions, v1beta1.ConditionAdmitted)
	if condition == nil {
		return told{admitted: hold.Status.NodeBefore != nil} // it began before there was a policy
	}
	return toldBy(hold.Status.Admission, v1beta1.AdmissionReason(condition.Reason))
}

// toldBy is what a status.admission, and the reason of the condition, tell.
func toldBy(status *v1beta1.MaintenanceAdmission, reason v1beta1.AdmissionReason) told {
	was := told{bypassed: reason == v1beta1.AdmissionBypassed}
	was.admitted = was.bypassed || reason == v1beta1.AdmissionAdmitted
	if status != nil {
		was.waits, was.needsApproval = len(status.WaitingFor) > 0, needsApproval(status.WaitingFor)
		was.policies = waitedFor(status.WaitingFor)
		was.admitted = was.admitted || status.AdmittedTime != nil
	}
	return was
}

func needsApproval(waits []v1beta1.AdmissionWait) bool {
	return slices.ContainsFunc(waits, func(w v1beta1.AdmissionWait) bool { return w.Reason == v1beta1.AdmissionApprovalNeeded })
}

// tellOf tells what has changed for a hold.
func (t *term) tellOf(hold *v1beta1.NodeMaintenance, was told, now decision.HoldOutcome, ledger v1beta1.MaintenanceLedgerSpec) {
	_, message := said(now)
	started := !now.AdmittedTime.IsZero() && !was.admitted
	switch {
	case len(now.Waits) > 0 && !was.waits:
		t.event(holdReference(hold), corev1.EventTypeNormal, eventQueued, message)
	case started && now.Bypassed:
		countBypass(ledger, hold.Spec.NodeName)
		t.event(nodeReference(hold.Spec.NodeName), corev1.EventTypeWarning, eventBypassed, hold.Name+": "+message)
		t.event(holdReference(hold), corev1.EventTypeWarning, eventBypassed, message)
	case len(now.Waits) == 0 && was.waits:
		t.event(holdReference(hold), corev1.EventTypeNormal, eventAdmitted, admittedText(hold, started, was, now))
	}
	if needsApproval(now.Waits) && !was.needsApproval {
		t.event(holdReference(hold), corev1.EventTypeNormal, eventApprovalNeeded, message)
	}
	if started {
		observeWait(hold, now.AdmittedTime)
	}
}

// tellDeadline tells of a deadline that has passed since the last decision.
func (t *term) tellDeadline(hold *v1beta1.NodeMaintenance, waits bool, now time.Time) {
	deadline := hold.Spec.StartDeadline
	if waits && deadline != nil && deadline.After(t.told) && !deadline.After(now) {
		t.event(holdReference(hold), corev1.EventTypeWarning, eventDeadlineMissed,
			"it was to start until "+deadline.UTC().Format(time.RFC3339)+", and waits still")
	}
}

func (t *term) event(about *corev1.ObjectReference, kind, reason, message string) {
	t.recorder.Event(about, kind, reason, quote.Cut(message, quote.MaxMessage))
}

func holdReference(hold *v1beta1.NodeMaintenance) *corev1.ObjectReference {
	return reference("NodeMaintenance", &hold.ObjectMeta)
}

func policyReference(policy *v1beta1.MaintenancePolicy) *corev1.ObjectReference {
	return reference("MaintenancePolicy", &policy.ObjectMeta)
}

func reference(kind string, meta *metav1.ObjectMeta) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		APIVersion: v1beta1.SchemeGroupVersion.String(), Kind: kind, Name: meta.Name, UID: meta.UID, ResourceVersion: meta.ResourceVersion,
	}
}

// nodeReference uses the node's name as the UID, as the kubelet does. Every version of kubectl describe finds such events.
func nodeReference(name string) *corev1.ObjectReference {
	return &corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: name, UID: types.UID(name)}
}
