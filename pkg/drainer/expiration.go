// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// expiringShare is the share of its time, in percent, after which a hold says that it ends soon.
const expiringShare = 80

// expiration is when the hold ends by itself; nil when it does not, or waits.
func (h hold) expiration() *metav1.Time {
	start := h.start()
	if h.Spec.ExpirationSeconds == nil || start == nil {
		return nil
	}
	return &metav1.Time{Time: start.Add(time.Duration(*h.Spec.ExpirationSeconds) * time.Second)}
}

// expiring is when the hold that ends then begins to say that it ends soon.
func (h hold) expiring(end metav1.Time) time.Time {
	return end.Add(-time.Duration(*h.Spec.ExpirationSeconds) * time.Second * (100 - expiringShare) / 100)
}

// start is when the time of the hold began: when it was admitted, or created if it never waited; nil while it
// waits.
func (h hold) start() *metav1.Time {
	admission := ourAdmission(h.told)
	if h.news != nil {
		admission = h.news.status
	}
	switch {
	case h.Stage == stageUndecided:
		return nil
	case admission == nil || !cordonsAt(h.Spec.Stage):
		return &h.CreationTimestamp
	case admission.AdmittedTime == nil && !h.waits():
		return &h.CreationTimestamp
	default:
		return admission.AdmittedTime
	}
}

// expire deletes the holds whose time is over, as their requestors would. The result says when the next
// hold expires, or is to say that it will soon.
func (w holdWriter) expire(ctx context.Context, v *view) result {
	var did result
	now := w.clock.Now()
	for _, h := range v.active {
		end := h.expiration()
		switch {
		case end == nil, h.memory.expired == h.ResourceVersion:
		case !now.Before(end.Time):
			did.add(w.deleteExpired(ctx, h, *end))
		case now.Before(h.expiring(*end)):
			did.add(result{again: h.expiring(*end).Sub(now)})
		default:
			did.add(result{again: end.Sub(now)})
		}
	}
	return did
}

// deleteExpired deletes the hold only in the version that was looked at: a hold that has just been
// extended stays. No version is deleted twice, though the cache shows it for a moment longer: the audit log
// would tell of a second delete.
func (w holdWriter) deleteExpired(ctx context.Context, h hold, end metav1.Time) result {
	uid, version := h.UID, h.ResourceVersion
	err := w.client.MaintenanceV1beta1().NodeMaintenances().Delete(ctx, h.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
	})
	if err != nil {
		return result{err: fmt.Errorf("could not delete NodeMaintenance %s, which has expired: %w", h.Name, err)}
	}
	h.memory.expired = version
	return result{changes: []change{holdExpired{hold: h, end: end}}}
}

// expiration writes when the hold ends by itself, and sets the condition Expiring once that is soon.
func (s *statusBuilder) expiration() {
	s.next.ExpirationTime = s.hold.expiration()
	if s.next.ExpirationTime == nil || s.now.Time.Before(s.hold.expiring(*s.next.ExpirationTime).Truncate(time.Second)) {
		apimeta.RemoveStatusCondition(&s.next.Conditions, v1beta1.ConditionExpiring)
		return
	}
	s.condition(v1beta1.ConditionExpiring, metav1.ConditionTrue, v1beta1.ReasonExpiresSoon,
		"this NodeMaintenance ends at %s; a higher spec.expirationSeconds extends it", s.next.ExpirationTime.UTC().Format(time.RFC3339))
}
