// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// wantHold wants a hold of a stage on the node of the status, which has to start at the latest start.
func (s *state) wantHold(stage v1beta1.MaintenanceStage, latest time.Time) {
	requestor := v1beta1.EventRequestor + s.Event.Name
	hold := &Hold{
		Name: v1beta1.HoldName(s.next.NodeName, requestor), Node: s.next.NodeName, Requestor: requestor,
		Reason: holdReason(s.Event), Stage: stage,
	}
	if s.next.DrainStartTime == nil {
		hold.NotBefore = s.ahead(s.holdSpec().NotBefore, timeOf(s.next.StartTime))
		hold.StartDeadline = s.ahead(s.holdSpec().StartDeadline, latest)
	} else {
		hold.NotBefore, hold.StartDeadline = timeOf(s.holdSpec().NotBefore), timeOf(s.holdSpec().StartDeadline)
	}
	if hold.Bypass = s.bypass(stage, latest); hold.Bypass {
		hold.NotBefore = time.Time{}
	}
	if !hold.NotBefore.IsZero() && !hold.StartDeadline.After(hold.NotBefore) {
		hold.StartDeadline = time.Time{} // it would be refused
	}
	s.decision.Hold, s.next.Maintenance = hold, hold.Name
	s.again(latest)
}

// holdSpec is the spec of the hold that is there.
func (s *state) holdSpec() v1beta1.NodeMaintenanceSpec {
	if s.Hold == nil {
		return v1beta1.NodeMaintenanceSpec{}
	}
	return s.Hold.Spec
}

// ahead is a time of the hold: the one that is wanted if that is ahead, and the one that is there if it is about the
// same.
func (s *state) ahead(there *metav1.Time, wanted time.Time) time.Time {
	switch {
	case there != nil && near(there.Time, wanted):
		return there.Time
	case wanted.After(s.Now):
		return wanted
	default:
		return time.Time{}
	}
}

// bypass says whether policies are not asked any more: the latest start has come, they are known to keep the hold, and
// none of them has drains wait. What was bypassed stays so.
func (s *state) bypass(stage v1beta1.MaintenanceStage, latest time.Time) bool {
	switch waits := s.waits(stage); {
	case s.holdSpec().BypassPolicies:
		return true
	case latest.IsZero() || s.Now.Before(latest) || waits == "":
		return false
	case waitsFor(s.Policies) != "":
		s.block(ReasonLatestStartPassed, latestStartPassed(s.next.NodeName, waitsFor(s.Policies), waits, latest))
		return false
	default:
		s.bypassed = waits
		return true
	}
}

// waits is what policies have the hold wait for before it goes as far as a stage, as is known of the hold as it is now;
// empty: nothing.
func (s *state) waits(stage v1beta1.MaintenanceStage) string {
	h := s.Hold
	if h == nil || h.Status.Admission == nil || h.Status.ObservedGeneration != h.Generation || h.Spec.Stage != stage ||
		v1beta1.StageNow(h) == stage {
		return ""
	}
	var waits []string
	for _, wait := range h.Status.Admission.WaitingFor {
		if wait.Reason != v1beta1.AdmissionNotBefore {
			waits = append(waits, policyWait(wait))
		}
	}
	return strings.Join(waits, "; ")
}

// holds says whether the hold has been admitted, and has its node cordoned.
func holds(h *v1beta1.NodeMaintenance, node *corev1.Node) bool {
	return h != nil && node != nil && h.DeletionTimestamp == nil && h.Status.NodeUID == node.UID &&
		v1beta1.StageNow(h) != v1beta1.StageIdle && apimeta.IsStatusConditionTrue(h.Status.Conditions, v1beta1.ConditionCordoned)
}

// emptied is the condition Drained of a hold whose drain of the node is done, for the hold as it is now; nil: it is not.
func emptied(h *v1beta1.NodeMaintenance, node *corev1.Node) *metav1.Condition {
	if !holds(h, node) || h.Spec.Stage != v1beta1.StageDrain || h.Status.ObservedGeneration != h.Generation {
		return nil
	}
	c := apimeta.FindStatusCondition(h.Status.Conditions, v1beta1.ConditionDrained)
	if c == nil || c.Status != metav1.ConditionTrue || c.ObservedGeneration != h.Generation {
		return nil
	}
	return c
}

// drainsAll says whether the hold drains all pods that a drain can remove.
func drainsAll(h *v1beta1.NodeMaintenance) bool {
	for _, rule := range h.Spec.Drain.Rules {
		if rule.Action == v1beta1.ActionSkip {
			return false
		}
	}
	return h.Spec.Drain.PodSelector == nil && h.Spec.Stage == v1beta1.StageDrain
}

// owns says whether the hold is that of the event, for the node.
func owns(event *v1beta1.ScheduledEvent, node *corev1.Node, h *v1beta1.NodeMaintenance) bool {
	requestor := v1beta1.EventRequestor + event.Name
	owner := metav1.GetControllerOf(h)
	return h.Spec.Requestor == requestor && h.Spec.NodeName == node.Name && h.Name == v1beta1.HoldName(node.Name, requestor) &&
		owner != nil && owner.UID == event.UID
}
