// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package webhook calls HTTP servers as standardwebhooks.com says, for the trigger and for the notifier of that name: a
// POST of JSON with an id that stays the same for each try, a time, and a signature if there is a key.
package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

// Event is the body of a call. It is the same for each try.
type Event struct {
	// Type is what has happened, such as nodeprofile.trigger. It says what Data has.
	Type string `json:"type"`
	// Timestamp is the time when it has happened.
	Timestamp time.Time `json:"timestamp"`
	// Data are the details.
	Data any `json:"data"`
}

// Post calls the endpoint once. The id tells the event from all others; it has no dot, since one is between the parts
// that are signed. now is when the call is made.
//
// An error of the call may quote the URL: see endpoint.Endpoints.Clean.
func Post(ctx context.Context, to *endpoint.HTTP, id string, now time.Time, event Event) (Answer, error) {
	body, err := json.Marshal(event)
	if err != nil {
		return Answer{}, fmt.Errorf("could not encode the event: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Base.String(), bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	if err := sign(request.Header, to.HMACKey, id, now, body); err != nil {
		return Answer{}, err
	}
	response, err := to.Client.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = response.Body.Close() }() // nobody needs it
	// The connection can be used again once the body was read. What the body says does not matter.
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, v1beta1.MaxAnswerBytes))
	return answerOf(response, now), nil
}
