// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package slack

import (
	"context"
	"fmt"
	"regexp"

	"github.com/slack-go/slack"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// eventType is the type of the metadata that messages have.
const eventType = "maintenance_notification"

// server is a Slack that is called for one message.
type server struct {
	endpoints endpoint.Endpoints
	name      string
	to        *endpoint.HTTP
}

// open returns the Slack of a message.
func open(ctx context.Context, endpoints endpoint.Endpoints, name string) (*server, error) {
	to, err := endpoints.HTTP(ctx, name)
	if err != nil {
		return nil, outbox.Unusable(name, endpoints.Clean(err))
	}
	if to.Kind != endpoint.KindSlack {
		return nil, &outbox.SendError{
			Class: outbox.Temporary, Reason: fmt.Sprintf("endpoint %s: it is no Slack, but %s", name, to.Kind),
		}
	}
	return &server{endpoints: endpoints, name: name, to: to}, nil
}

// call waits until Slack may be called, and calls it once. Errors become those of senders.
func (s *server) call(ctx context.Context, do func(context.Context) error) error {
	if err := s.endpoints.Wait(ctx, s.name); err != nil {
		return outbox.Unusable(s.name, s.endpoints.Clean(err))
	}
	ctx, connected := outbox.Traced(ctx)
	if err := do(ctx); err != nil {
		return s.classify(err, connected())
	}
	return nil
}

func (s *server) api() *slack.Client {
	base := s.to.Base.JoinPath("/").String()
	return slack.New(s.to.Token, slack.OptionHTTPClient(s.to.Client), slack.OptionAPIURL(base))
}

// post posts a text with Slack's API, in a thread unless that is empty, and returns its timestamp. The id is in its
// metadata.
func (s *server) post(ctx context.Context, channel, thread, text, id string) (timestamp string, err error) {
	options := []slack.MsgOption{
		slack.MsgOptionText(text, false), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
		slack.MsgOptionMetadata(slack.SlackMetadata{EventType: eventType, EventPayload: map[string]any{"id": id}}),
	}
	if thread != "" {
		options = append(options, slack.MsgOptionTS(thread))
	}
	err = s.call(ctx, func(ctx context.Context) error {
		_, timestamp, err = s.api().PostMessageContext(ctx, channel, options...)
		return err
	})
	return known(timestamp), err
}

// timestampForm is what timestamps of Slack look like. They are stored, and other texts may have a secret.
var timestampForm = regexp.MustCompile(`^[0-9]{1,20}\.[0-9]{1,10}$`)

// known is a timestamp; empty if it is none.
func known(timestamp string) string {
	if !timestampForm.MatchString(timestamp) {
		return ""
	}
	return timestamp
}

// hook posts a text with an incoming webhook.
func (s *server) hook(ctx context.Context, channel, text string) error {
	unfurl := false
	message := &slack.WebhookMessage{Channel: channel, Text: text, UnfurlLinks: &unfurl, UnfurlMedia: &unfurl}
	return s.call(ctx, func(ctx context.Context) error {
		return slack.PostWebhookCustomHTTPContext(ctx, s.to.Base.String(), s.to.Client, message)
	})
}
