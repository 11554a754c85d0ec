// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// expiringShare is the share of its time, in percent, after which a hold says that it ends soon.
const expiringShare = 80

// expiration is when the hold ends by itself; nil when it does not.
func (h hold) expiration() *metav1.Time {
	seconds := h.Spec.ExpirationSeconds
	if seconds == nil {
		return nil
	}
	return &metav1.Time{Time: h.CreationTimestamp.Add(time.Duration(*seconds) * time.Second)}
}

// expiring is from when on the hold says that it ends soon.
func (h hold) expiring() time.Time {
	return h.CreationTimestamp.Add(time.Duration(*h.Spec.ExpirationSeconds) * time.Second * expiringShare / 100)
}

// endExpired deletes the holds whose time is over, as their requestors would, and returns when the
// next one comes to that, or to say that it will soon.
func (d *Drainer) endExpired(ctx context.Context, v *view) (time.Duration, error) {
	var again time.Duration
	var errs []error
	now := d.config.Clock.Now()
	for _, h := range v.active {
		end := h.expiration()
		switch {
		case end == nil:
		case !now.Before(end.Time):
			errs = append(errs, d.deleteExpired(ctx, h, *end))
		case now.Before(h.expiring()):
			again = shorter(again, h.expiring().Sub(now))
		default:
			again = shorter(again, end.Sub(now))
		}
	}
	return again, errors.Join(errs...)
}

// deleteExpired names the version of the hold that was looked at: one that has just been given more
// time stays.
func (d *Drainer) deleteExpired(ctx context.Context, h hold, end metav1.Time) error {
	uid, version := h.UID, h.ResourceVersion
	err := d.config.Maintenance.MaintenanceV1beta1().NodeMaintenances().Delete(ctx, h.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
	})
	if err != nil {
		return fmt.Errorf("could not delete NodeMaintenance %s, which has expired: %w", h.Name, err)
	}
	d.events.onBoth(h.Spec.NodeName, []hold{h}, corev1.EventTypeNormal, eventHoldExpired,
		"%s ends its maintenance of node %s: its time was over at %s", holder(h), h.Spec.NodeName, end.UTC().Format(time.RFC3339))
	return nil
}

// expiration says when the hold ends by itself, and once that is soon, says so by a condition.
func (s *statusBuilder) expiration() {
	s.next.ExpirationTime = s.hold.expiration()
	if s.next.ExpirationTime == nil || s.now.Time.Before(s.hold.expiring().Truncate(time.Second)) {
		apimeta.RemoveStatusCondition(&s.next.Conditions, v1beta1.ConditionExpiring)
		return
	}
	s.condition(v1beta1.ConditionExpiring, metav1.ConditionTrue, v1beta1.ReasonExpiresSoon,
		"this NodeMaintenance ends at %s; a higher spec.expirationSeconds extends it", s.next.ExpirationTime.UTC().Format(time.RFC3339))
}

// isExpiring says whether the status says that the hold ends soon.
func isExpiring(status v1beta1.NodeMaintenanceStatus) bool {
	return apimeta.IsStatusConditionTrue(status.Conditions, v1beta1.ConditionExpiring)
}
