// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"context"
	"fmt"

	"golang.org/x/time/rate"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Wait implements endpoint.Endpoints.
func (c *Clients) Wait(ctx context.Context, name string) error {
	e, err := c.find(name)
	if err != nil {
		return err
	}
	now := c.config.Clock.Now()
	reserved := c.limiter(e).ReserveN(now, 1)
	delay := reserved.DelayFrom(now)
	if delay == 0 {
		return ctx.Err()
	}
	timer := c.config.Clock.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C():
		return nil
	case <-ctx.Done():
		reserved.CancelAt(c.config.Clock.Now())
		return fmt.Errorf("the endpoint %s was called as often as its perMinute allows: %w", name, ctx.Err())
	}
}

// limiter returns what says how often an endpoint may be called, as its perMinute is now.
func (c *Clients) limiter(e *v1beta1.MaintenanceEndpoint) *rate.Limiter {
	perMinute := int(ptr.Deref(e.Spec.PerMinute, v1beta1.DefaultEndpointPerMinute))
	limit, burst := limitOf(perMinute)
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.keep(e.Name)
	switch now := c.config.Clock.Now(); {
	case k.limiter == nil:
		k.limiter = rate.NewLimiter(limit, burst)
	case k.limiter.Limit() != limit || k.limiter.Burst() != burst:
		k.limiter.SetLimitAt(now, limit)
		k.limiter.SetBurstAt(now, burst)
	}
	return k.limiter
}

// limitOf lets a tenth of the calls be made at once, and the rest evenly, so that no minute has more than perMinute.
func limitOf(perMinute int) (rate.Limit, int) {
	burst := max(1, perMinute/10)
	return rate.Limit(float64(perMinute-burst+1) / 60), burst
}
