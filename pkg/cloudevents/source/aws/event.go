// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aws

import (
	"strings"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// maxDescription is the most bytes of a description that a ScheduledEvent takes.
const maxDescription = 1024

// states are those that a description of EC2 begins with. EC2 lists an event that is over for up to a week.
var states = map[string]v1beta1.ScheduledEventState{
	"[Completed]": v1beta1.EventCompleted,
	"[Canceled]":  v1beta1.EventCanceled,
	"[Cancelled]": v1beta1.EventCanceled,
}

// translate returns the event of an instance. One without an id is known by its instance and code.
func translate(instance string, event types.InstanceStatusEvent) source.Event {
	state, description := split(sdk.ToString(event.Description))
	id := sdk.ToString(event.InstanceEventId)
	if id == "" {
		id = instance + "." + string(event.Code)
	}
	notBefore, notAfter, deadline := seconds(event.NotBefore), seconds(event.NotAfter), seconds(event.NotBeforeDeadline)
	if notAfter.Before(notBefore) {
		notAfter = nil // no event ends before it begins: the time is of before it was put off
	}
	if deadline.Before(notBefore) {
		deadline = nil // it cannot be put off any more
	}
	return source.Event{
		ID: id, Code: string(event.Code), InstanceID: instance, State: state, Description: description,
		NotBefore: notBefore, NotAfter: notAfter, Deadline: deadline,
	}
}

// split takes the state from a description, and makes the rest one line that can be shown.
func split(description string) (v1beta1.ScheduledEventState, string) {
	description = strings.Join(strings.Fields(description), " ")
	state := v1beta1.EventScheduled
	for prefix, is := range states {
		if len(description) >= len(prefix) && strings.EqualFold(description[:len(prefix)], prefix) {
			state, description = is, strings.TrimSpace(description[len(prefix):])
			break
		}
	}
	return state, quote.Cut(description, maxDescription)
}

// seconds returns the time as it is stored; nil if there is none.
func seconds(t *time.Time) *metav1.Time {
	if t == nil || t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t.UTC().Truncate(time.Second)}
}
