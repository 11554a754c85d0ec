// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// expiringShare is the share of its time, in percent, after which a hold says that it ends soon.
const expiringShare = 80

// Expiration is the time when the hold ends by itself; nil when it does not, or waits.
func (h Hold) Expiration() *metav1.Time {
	start := h.start()
	if h.Spec.ExpirationSeconds == nil || start == nil {
		return nil
	}
	return &metav1.Time{Time: start.Add(time.Duration(*h.Spec.ExpirationSeconds) * time.Second)}
}

// Expiring is the time when the hold that ends then begins to say that it ends soon.
func (h Hold) Expiring(end metav1.Time) time.Time {
	return end.Add(-time.Duration(*h.Spec.ExpirationSeconds) * time.Second * (100 - expiringShare) / 100)
}

// start is the time when the hold began to count: when it was admitted, or created if it never waited; nil while it
// waits.
func (h Hold) start() *metav1.Time {
	admission := ourAdmission(h.Told)
	if h.news != nil {
		admission = h.news.status
	}
	switch {
	case h.Stage == stageUndecided:
		return nil
	case admission == nil || !cordonsAt(h.Spec.Stage):
		return &h.CreationTimestamp
	case admission.AdmittedTime == nil && !h.Waits():
		return &h.CreationTimestamp
	default:
		return admission.AdmittedTime
	}
}

// Expiration writes when the hold ends by itself, and sets the condition Expiring once that is soon.
func (s *statusBuilder) Expiration() {
	s.next.ExpirationTime = s.hold.Expiration()
	if s.next.ExpirationTime == nil || s.now.Time.Before(s.hold.Expiring(*s.next.ExpirationTime).Truncate(time.Second)) {
		apimeta.RemoveStatusCondition(&s.next.Conditions, v1beta1.ConditionExpiring)
		return
	}
	s.condition(v1beta1.ConditionExpiring, metav1.ConditionTrue, v1beta1.ReasonExpiresSoon,
		"this NodeMaintenance ends at %s; a higher spec.expirationSeconds extends it", s.next.ExpirationTime.UTC().Format(time.RFC3339))
}
