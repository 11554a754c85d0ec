// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package slack

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// ThreadSender is the sender of the kind slackThread.
type ThreadSender struct {
	endpoints endpoint.Endpoints
	threads   outbox.Threads
	clock     clock.PassiveClock
}

var _ outbox.Sender = (*ThreadSender)(nil)

// NewThreads returns the sender.
func NewThreads(endpoints endpoint.Endpoints, threads outbox.Threads, clock clock.PassiveClock) *ThreadSender {
	return &ThreadSender{endpoints: endpoints, threads: threads, clock: clock}
}

// Send implements outbox.Sender.
func (s *ThreadSender) Send(ctx context.Context, message outbox.Message) (outbox.Receipt, error) {
	server, err := open(ctx, s.endpoints, message.Target.Endpoint)
	if err != nil {
		return outbox.Receipt{}, err
	}
	if server.to.Token == "" {
		return outbox.Receipt{}, &outbox.SendError{Class: outbox.Temporary, Reason: fmt.Sprintf(
			"endpoint %s: its Secret has no key token, and an incoming webhook cannot start threads", server.name)}
	}
	thread, err := s.threads.Find(ctx, message.Target, message.Notifier)
	if err != nil {
		return outbox.Receipt{}, outbox.Unusable(server.name, s.endpoints.Clean(err))
	}
	return s.reply(ctx, server, message, thread)
}

// reply posts to the thread, or to a new one if that is over, or is gone in Slack.
func (s *ThreadSender) reply(
	ctx context.Context, server *server, message outbox.Message, thread v1beta1.SlackThread,
) (outbox.Receipt, error) {
	if !s.lives(thread, message.Target) {
		thread = v1beta1.SlackThread{}
	}
	timestamp, err := s.begin(ctx, server, message, thread)
	if err != nil {
		return outbox.Receipt{}, err
	}
	receipt, err := server.once(ctx, message, timestamp)
	if !isLost(err) {
		return receipt, err
	}
	if timestamp, err = s.begin(ctx, server, message, v1beta1.SlackThread{}); err != nil {
		return outbox.Receipt{}, err
	}
	return server.once(ctx, message, timestamp)
}

// lives says whether a thread is still used: it is for some time from its beginning, however much is posted to it.
func (s *ThreadSender) lives(thread v1beta1.SlackThread, target v1beta1.NotificationTarget) bool {
	period := time.Duration(target.PeriodSeconds) * time.Second
	return !thread.Since.IsZero() && s.clock.Since(thread.Since.Time) <= period
}

// begin returns the timestamp of the thread, and starts it if it has none. It is recorded before its title is posted, so
// that a title that was posted before a crash is found.
func (s *ThreadSender) begin(
	ctx context.Context, server *server, message outbox.Message, thread v1beta1.SlackThread,
) (timestamp string, err error) {
	if thread.Timestamp != "" {
		return thread.Timestamp, nil
	}
	channel, again := message.Target.Channel, !thread.Since.IsZero()
	if !again {
		thread = v1beta1.SlackThread{Channel: channel, Notifier: message.Notifier, Since: metav1.NewTime(s.clock.Now())}
		if err := s.threads.Record(ctx, message.Target, thread); err != nil {
			return "", s.notRecorded(err)
		}
	}
	id := titleID(thread)
	if again {
		if timestamp, err = server.find(ctx, channel, "", id, thread.Since.Time); err != nil {
			return "", err
		}
	}
	if timestamp == "" {
		if timestamp, err = server.post(ctx, channel, "", message.Texts.Title, id); err != nil {
			return "", titleFailed(err)
		}
	}
	if timestamp == "" {
		return "", &outbox.SendError{Class: outbox.Permanent, Reason: fmt.Sprintf("Slack (endpoint %s) has given its thread no timestamp", server.name)}
	}
	thread.Timestamp = timestamp
	if err := s.threads.Record(ctx, message.Target, thread); err != nil {
		return "", s.notRecorded(err)
	}
	return timestamp, nil
}

// titleID is the id of the message that starts a thread.
func titleID(thread v1beta1.SlackThread) string {
	return fmt.Sprintf("%s/%s/%d", thread.Channel, thread.Notifier, thread.Since.Unix())
}

// titleFailed is the error of a message whose thread could not be started. The message itself was not posted.
func titleFailed(err error) error {
	var failed *outbox.SendError
	if errors.As(err, &failed) && failed.Class == outbox.Maybe {
		return &outbox.SendError{Class: outbox.Temporary, Reason: failed.Reason}
	}
	return err
}

func (s *ThreadSender) notRecorded(err error) error {
	return &outbox.SendError{
		Class: outbox.Temporary, Reason: fmt.Sprintf("could not record the thread: %v", s.endpoints.Clean(err)),
	}
}
