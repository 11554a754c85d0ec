// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func (c StatusWritten) keptForTheSame(before, now string) bool {
	return before == now || (c.Hold.KeptFor != "" && strings.HasPrefix(before, c.Hold.KeptFor))
}

// Kept is the condition that says what keeps the node from being given back; nil when nothing does.
func Kept(status v1beta1.NodeMaintenanceStatus) *metav1.Condition {
	return apimeta.FindStatusCondition(status.Conditions, v1beta1.ConditionReleased)
}

// keptNoMore clears what the status says of that.
func (s *statusBuilder) keptNoMore() {
	if Kept(*s.next) != nil {
		s.next.LastError = ""
		apimeta.RemoveStatusCondition(&s.next.Conditions, v1beta1.ConditionReleased)
	}
}

// keptEvents are about a node that is kept although no hold needs it any more, once for each change of what for. Details
// may change often.
func (c StatusWritten) keptEvents() []Event {
	before, now := Kept(c.Old), Kept(c.Next)
	if now == nil || (before != nil && before.Reason == now.Reason && c.keptForTheSame(before.Message, now.Message)) {
		return nil
	}
	kind := corev1.EventTypeNormal
	if now.Reason == v1beta1.ReasonReleaseTimedOut {
		kind = corev1.EventTypeWarning
	}
	return onBoth(c.Hold, kind, EventReleaseHeld, "node %s is not given back yet for %s: %s", c.Hold.Spec.NodeName, c.Hold.Name, now.Message)
}
