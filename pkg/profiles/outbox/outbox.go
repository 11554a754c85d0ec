// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package outbox is where the workers that send notifications meet the ways in which they are sent. The engine makes a
// notification in the status of a NodeProfile, in the same write as the state that it tells of, and goes on. The workers
// of the outbox record that it is Sending before they call a Sender, and record afterwards what came of it. Each kind of
// notifier implements Sender, in a package of its own; the command puts them into Kinds.
package outbox

import (
	"context"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Kinds are the senders by kind of notifier. The command makes it, and the workers ask it.
type Kinds map[v1beta1.NotifierKind]Sender

// Sender sends notifications of one kind. It is called by the workers of the outbox, several at the same time, but one
// at a time for each pair of endpoint and channel.
type Sender interface {
	// Send sends the message, within the context's deadline. It tries once; the workers try again. If it fails, the error
	// is a *SendError, which says whether to try again. Any other error counts as Maybe.
	Send(ctx context.Context, message Message) (Receipt, error)
}

// Message is a notification that is to be sent.
type Message struct {
	// ID is the same for each try, and no other notification has it. Where the protocol can carry it, it does: as
	// Message-ID of a mail, as webhook-id, as metadata of a message in Slack.
	ID string
	// Node is the name of the node, Profile that of the MaintenanceProfile, and Notifier that of the notifier.
	Node, Profile, Notifier string
	// Occasion is what it is sent for.
	Occasion string
	// Time is the time when the notification was made. It does not change when it is sent again, so a mail has the same date.
	Time time.Time
	// Target is where it is sent: the endpoint by its name, and what of the notifier is no template.
	Target v1beta1.NotificationTarget
	// Texts are what is sent.
	Texts v1beta1.NotificationTexts
	// Again says that nobody knows whether an earlier try has reached the other side. A sender that can look for the
	// message there by its ID does that first.
	Again bool
}

// Receipt is what the other side says of a message that it has.
type Receipt struct {
	// Reference is what it calls the message, such as a timestamp of Slack; may be empty.
	Reference string
}

// Class is what an error means for the message.
type Class int

const (
	// Maybe means that nobody knows whether the other side has the message: the connection was lost, or the time was
	// over, after the message was written. Whether it is sent again is the notifier's delivery.
	Maybe Class = iota
	// Temporary means that the other side does not have it, and that it may take it later.
	Temporary
	// Permanent means that the other side has refused it, and would again.
	Permanent
)

// SendError is the reason why a message was not sent.
type SendError struct {
	// Class says what it means for the message.
	Class Class
	// Reason says in a sentence what went wrong. It is stored in the status: it has no URL, no body of an answer and no
	// credentials.
	Reason string
	// RetryAfter is how long the other side has asked to wait, with Temporary; zero: it has not said.
	RetryAfter time.Duration
}

func (e *SendError) Error() string { return e.Reason }

// Threads remembers which threads of Slack are in use, in the status of the endpoint. The outbox implements it, and the
// sender of slackThread calls it. Since the workers call that sender once at a time for each channel, no thread is
// started twice.
type Threads interface {
	// Find returns the thread that a notifier uses in a channel, and since when; empty if there is none.
	Find(ctx context.Context, target v1beta1.NotificationTarget, notifier string) (v1beta1.SlackThread, error)
	// Record stores a thread, before its first message is posted (without a timestamp) and after that (with it).
	Record(ctx context.Context, target v1beta1.NotificationTarget, thread v1beta1.SlackThread) error
}
