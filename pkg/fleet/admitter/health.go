// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// decisionTakes is how long a decision may take at most. Its requests take 35 seconds, if all of them time out.
const decisionTakes = time.Minute

// pulse shows whether decisions return.
type pulse struct {
	// since is the time when the decision began that is under way; nil: none is.
	since atomic.Pointer[time.Time]
}

// stuck says why the decision that is under way seems not to return; nil: none is, or it may still.
func (p *pulse) stuck(now time.Time) error {
	since := p.since.Load()
	if since == nil || now.Sub(*since) <= decisionTakes {
		return nil
	}
	return fmt.Errorf("the decision which maintenance may start has not returned for %s", now.Sub(*since).Round(time.Second))
}

// decideOnce decides, and notes that it does, and how it ended.
func (t *term) decideOnce(ctx context.Context) (again time.Duration, err error) {
	began := t.config.Clock.Now()
	t.pulse.since.Store(&began)
	defer t.pulse.since.Store(nil)
	again, err = t.decide(ctx)
	switch {
	case err == nil:
		lastDecision.WithLabelValues().Set(float64(t.config.Clock.Now().Unix()))
	case ctx.Err() == nil:
		failedDecisions.Inc()
	}
	return again, err
}

// Healthy returns an error while a decision does not return, so that the process is better restarted.
func (a *Admitter) Healthy() error {
	if t := a.leading.Load(); t != nil {
		return t.pulse.stuck(a.config.Clock.Now())
	}
	return nil
}
