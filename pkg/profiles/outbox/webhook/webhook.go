// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package webhook sends notifications to HTTP servers, as standardwebhooks.com says.
package webhook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/webhook"
)

// EventType is the type of the events. Their data has node, profile, state, previous, since, notifier and occasion, and
// their timestamp is when the notification was made.
const EventType = "nodeprofile.notification"

// Sender is the sender of the kind webhook.
type Sender struct {
	endpoints endpoint.Endpoints
	clock     clock.PassiveClock
}

var _ outbox.Sender = (*Sender)(nil)

// New returns the sender.
func New(endpoints endpoint.Endpoints, clock clock.PassiveClock) *Sender {
	return &Sender{endpoints: endpoints, clock: clock}
}

// Send implements outbox.Sender. The id is sent with each try, so a server can tell that it has the message already.
func (s *Sender) Send(ctx context.Context, message outbox.Message) (outbox.Receipt, error) {
	name := message.Target.Endpoint
	to, err := s.endpoints.HTTP(ctx, name)
	if err != nil {
		return outbox.Receipt{}, outbox.Unusable(name, s.endpoints.Clean(err))
	}
	if to.Kind != endpoint.KindWebhook {
		return outbox.Receipt{}, &outbox.SendError{
			Class: outbox.Temporary, Reason: fmt.Sprintf("endpoint %s: it is no webhook, but %s", name, to.Kind),
		}
	}
	if err := s.endpoints.Wait(ctx, name); err != nil {
		return outbox.Receipt{}, outbox.Unusable(name, s.endpoints.Clean(err))
	}
	return outbox.Receipt{}, s.post(ctx, to, message)
}

func (s *Sender) post(ctx context.Context, to *endpoint.HTTP, message outbox.Message) error {
	event := webhook.Event{
		Type: EventType, Timestamp: message.Time.UTC(), Data: json.RawMessage(message.Texts.Message),
	}
	ctx, connected := outbox.Traced(ctx)
	answer, err := webhook.Post(ctx, to, idOf(message), s.clock.Now(), event)
	switch {
	case err != nil:
		return outbox.CallFailed(message.Target.Endpoint, s.endpoints.Clean(err), connected())
	case answer.Done():
		return nil
	default:
		return outbox.Answered(message.Target.Endpoint, answer.Status, answer.RetryAfter)
	}
}

// idOf is the id of a message without dots, as the standard wants it.
func idOf(message outbox.Message) string {
	sum := sha256.Sum256([]byte(message.ID))
	return hex.EncodeToString(sum[:16])
}
