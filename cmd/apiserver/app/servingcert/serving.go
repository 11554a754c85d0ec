// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"context"
	"time"

	"k8s.io/klog/v2"
)

// keepServing signs a serving certificate if there is none, or if it is to be replaced.
func (k *Keeper) keepServing(ctx context.Context, s state) error {
	now := k.config.Clock.Now()
	if p := k.serving.current(); p != nil && s.keeps(p, now) {
		return nil
	}
	p, err := s.signer().sign(k.config.Name, now)
	if err != nil {
		return err
	}
	k.serving.set(p)
	measure(p)
	klog.FromContext(ctx).Info("Signed a serving certificate", "validUntil", p.leaf.NotAfter)
	return nil
}

// keeps says whether a replica stays with its pair. If none can sign now but the next CA, which may not be trusted yet,
// it stays as long as it can.
func (s state) keeps(p *pair, now time.Time) bool {
	if s.current == nil {
		return s.trusts(p.ca) && now.Before(p.leaf.NotAfter)
	}
	return p.ca.Equal(s.current.cert) && now.Before(dueAt(p.leaf))
}

// nextTime is the time when the next step is due. It is before the end of an hour, so that a machine that was asleep notices.
func (k *Keeper) nextTime(s state) time.Time {
	now := k.config.Clock.Now()
	next := now.Add(time.Hour)
	sooner := func(at time.Time) {
		if at.After(now) && at.Before(next) {
			next = at
		}
	}
	sooner(dueAt(k.serving.current().leaf))
	sooner(s.formerEnd())
	if s.current != nil {
		sooner(dueAt(s.current.cert))
	}
	if s.next != nil {
		sooner(now.Add(settleTime))
	}
	return next
}
