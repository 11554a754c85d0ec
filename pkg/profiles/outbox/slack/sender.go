// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package slack sends notifications to Slack: Sender posts to a channel, with a token or with an incoming webhook, and
// ThreadSender posts to a thread, which many notifications share for a while.
//
// With a token, each message has its id as metadata. A message that may have been posted before is looked for by that,
// if the notifier names the channel by its id, and the token may read the channel; if not, it is posted again.
package slack

import (
	"context"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// Sender is the sender of the kind slack.
type Sender struct {
	endpoints endpoint.Endpoints
}

var _ outbox.Sender = (*Sender)(nil)

// New returns the sender.
func New(endpoints endpoint.Endpoints) *Sender { return &Sender{endpoints: endpoints} }

// Send implements outbox.Sender.
func (s *Sender) Send(ctx context.Context, message outbox.Message) (outbox.Receipt, error) {
	server, err := open(ctx, s.endpoints, message.Target.Endpoint)
	if err != nil {
		return outbox.Receipt{}, err
	}
	channel, text := message.Target.Channel, message.Texts.Message
	if server.to.Token == "" {
		return outbox.Receipt{}, server.hook(ctx, channel, text)
	}
	return server.once(ctx, message, "")
}

// once posts the text of a message, in a thread unless that is empty, if it is not there already.
func (s *server) once(ctx context.Context, message outbox.Message, thread string) (outbox.Receipt, error) {
	channel := message.Target.Channel
	if message.Again {
		found, err := s.find(ctx, channel, thread, message.ID, message.Time)
		if err != nil || found != "" {
			return outbox.Receipt{Reference: found}, err
		}
	}
	timestamp, err := s.post(ctx, channel, thread, message.Texts.Message, message.ID)
	return outbox.Receipt{Reference: timestamp}, err
}
