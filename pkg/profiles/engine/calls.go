// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

const (
	// callTimeout bounds one call of a trigger.
	callTimeout = 10 * time.Second
	// webhookTimeout bounds one call of a webhook, whose endpoint may have a timeout of a minute.
	webhookTimeout = 75 * time.Second
	// webhooks is how many webhooks are called at the same time. Servers that do not answer leave the other workers alone.
	webhooks = workers / 2
	// nextTurn is the time when a webhook that found no turn looks for one again.
	nextTurn = time.Second
)

// timeoutOf is how long one call of a trigger may take.
func timeoutOf(kind action.Kind) time.Duration {
	if kind == action.KindWebhook {
		return webhookTimeout
	}
	return callTimeout
}

// turns has one element for each webhook that is called now.
type turns chan struct{}

func newTurns() turns { return make(turns, webhooks) }

// enter says whether a trigger may be called now. Then leave is to be called afterwards.
func (t turns) enter(kind action.Kind) (leave func(), entered bool) {
	if kind != action.KindWebhook {
		return func() {}, true
	}
	select {
	case t <- struct{}{}:
		return func() { <-t }, true
	default:
		return nil, false
	}
}
