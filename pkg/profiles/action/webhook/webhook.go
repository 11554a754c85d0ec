// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package webhook is the trigger webhook: it calls an HTTP server, and waits until that says that it is done. The server
// may be called more than once for a step, always with the same id.
package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/webhook"
)

// askAgain is the time when a server that has answered 202 is asked again, unless it says when.
const askAgain = 30 * time.Second

// Trigger is the trigger webhook.
type Trigger struct {
	endpoints endpoint.Endpoints
	clock     clock.PassiveClock
}

var _ action.Trigger = (*Trigger)(nil)

// New returns the trigger.
func New(endpoints endpoint.Endpoints, clock clock.PassiveClock) *Trigger {
	return &Trigger{endpoints: endpoints, clock: clock}
}

// Do calls the server once. In a dry run it only sees to it that the endpoint can be used.
func (t *Trigger) Do(ctx context.Context, step action.Step) (action.Progress, error) {
	name := step.Recorded.Trigger.Webhook.Endpoint
	to, err := t.endpoints.HTTP(ctx, name)
	switch {
	case err != nil:
		return t.failed(name, err)
	case to.Kind != endpoint.KindWebhook:
		return action.Failed("endpoint %s is no webhook, but %s", name, to.Kind), nil
	case step.DryRun:
		return action.Done(), nil
	}
	if err := t.endpoints.Wait(ctx, name); err != nil {
		return t.failed(name, err)
	}
	answer, err := webhook.Post(ctx, to, step.Key(), t.clock.Now(), eventOf(step))
	if err != nil {
		return t.failed(name, err)
	}
	return t.progress(name, answer)
}

// progress is what an answer means.
func (t *Trigger) progress(name string, answer webhook.Answer) (action.Progress, error) {
	switch {
	case answer.Later():
		wait := answer.RetryAfter
		if wait == 0 {
			wait = askAgain
		}
		return action.Waiting(fmt.Sprintf("endpoint %s is at it: it has answered %s", name, answer), t.clock.Now().Add(wait)), nil
	case answer.Done():
		return action.Done(), nil
	case answer.Refused():
		return action.Failed("endpoint %s has refused it: %s", name, answer), nil
	case answer.RetryAfter > 0:
		return action.Waiting(fmt.Sprintf("endpoint %s has answered %s, and asks to be called later", name, answer),
			t.clock.Now().Add(answer.RetryAfter)), nil
	default:
		return action.Progress{}, fmt.Errorf("endpoint %s has answered %s", name, answer)
	}
}

// failed is what an error means. An endpoint that cannot be used stays so until somebody changes it.
func (t *Trigger) failed(name string, err error) (action.Progress, error) {
	var unusable *endpoint.Error
	if errors.As(err, &unusable) {
		return action.Failed("%v", t.endpoints.Clean(err)), nil
	}
	return action.Progress{}, fmt.Errorf("could not call endpoint %s: %w", name, t.endpoints.Clean(err))
}
