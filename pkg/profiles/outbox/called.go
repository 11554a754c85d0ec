// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package outbox

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

// Traced returns a context for one call over HTTP, and asks whether a connection was there for it. A call that has failed
// before that has written nothing.
func Traced(ctx context.Context) (traced context.Context, connected func() bool) {
	var got atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { got.Store(true) }}
	return httptrace.WithClientTrace(ctx, trace), got.Load
}

// CallFailed is the error of a call that got no answer. Nobody knows whether the other side has the message if it was
// connected, else it does not have it. The error has gone through Clean.
func CallFailed(name string, cleaned error, connected bool) error {
	failed := &SendError{Class: Temporary, Reason: fmt.Sprintf("could not call the endpoint %s: %v", name, cleaned)}
	if connected {
		failed.Class = Maybe
		failed.Reason = fmt.Sprintf("the endpoint %s gave no answer that says whether it has the message: %v", name, cleaned)
	}
	return failed
}

// Unusable is the error of an endpoint that cannot be used as it is, or may not be called now. Nothing was written, and
// an admin may repair it.
func Unusable(name string, cleaned error) error {
	var known *endpoint.Error
	if errors.As(cleaned, &known) {
		return &SendError{Class: Temporary, Reason: known.Error()}
	}
	return CallFailed(name, cleaned, false)
}

// Answered is the error of an answer over HTTP that is no success. Who answers 401 does not accept the credentials, which
// an admin may repair. After most other errors of the server itself, nobody knows how far it came.
func Answered(name string, status int, retryAfter time.Duration) error {
	failed := &SendError{
		Class: Maybe, Reason: fmt.Sprintf("the endpoint %s has answered with the status %d", name, status),
	}
	switch status {
	case 401, 408, 425, 429, 503:
		failed.Class, failed.RetryAfter = Temporary, retryAfter
	default:
		if status < 500 {
			failed.Class = Permanent
		}
	}
	return failed
}
