// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package slack

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/slack-go/slack"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// mostRetryAfter bounds how long Slack can have us wait.
const mostRetryAfter = time.Hour

var (
	// busy are the errors after which Slack does not have the message, and may take it later.
	busy = []string{
		"ratelimited", "rate_limited", "message_limit_exceeded", "accesslimited", "service_unavailable", "request_timeout",
		"team_added_to_org", "ekm_access_denied",
	}
	// login are the errors of credentials that Slack does not accept, which an admin may repair.
	login = []string{
		"invalid_auth", "not_authed", "token_expired", "token_revoked", "account_inactive", "missing_scope",
	}
	// maybe are the errors after which nobody knows how far Slack came.
	maybe = []string{"internal_error", "fatal_error"}
	// lost are the errors of a thread that nobody can post to any more.
	lost = []string{"thread_not_found", "message_not_found", "cannot_reply_to_message", "restricted_action_thread_locked"}
)

// classify says what an error of Slack's library means.
func (s *server) classify(err error, connected bool) error {
	var (
		refused slack.SlackErrorResponse
		limited *slack.RateLimitedError
		status  slack.StatusCodeError
	)
	switch {
	case errors.As(err, &limited):
		return outbox.Answered(s.name, http.StatusTooManyRequests, min(limited.RetryAfter, mostRetryAfter))
	case errors.As(err, &status):
		return outbox.Answered(s.name, status.Code, 0)
	case errors.As(err, &refused):
		return s.refusal(refused.Err)
	default:
		return outbox.CallFailed(s.name, s.endpoints.Clean(err), connected)
	}
}

// wordForm is what the errors of Slack look like. Whatever else a server says may have a secret, and is not repeated.
var wordForm = regexp.MustCompile(`^[a-z][a-z_]{0,63}$`)

// refusal is an answer of Slack with an error, which is a word of its documentation.
func (s *server) refusal(word string) error {
	if !wordForm.MatchString(word) {
		word = "(an error of no known form)"
	}
	failed := &answerError{word: word, SendError: outbox.SendError{
		Class: outbox.Permanent, Reason: fmt.Sprintf("Slack (endpoint %s) has answered %q", s.name, word),
	}}
	switch {
	case slices.Contains(busy, word), slices.Contains(login, word):
		failed.Class = outbox.Temporary
	case slices.Contains(maybe, word):
		failed.Class = outbox.Maybe
	}
	return failed
}

// answerError is a *outbox.SendError that knows what Slack has said.
type answerError struct {
	outbox.SendError
	word string
}

// Unwrap lets callers find the *outbox.SendError.
func (e *answerError) Unwrap() error { return &e.SendError }

// notNow returns the error of a search if Slack may tell later. It is nil if it will not, such as if the token may not read
// the channel.
func notNow(err error) error {
	var (
		answer *answerError
		failed *outbox.SendError
	)
	switch {
	case errors.As(err, &answer) && !slices.Contains(busy, answer.word) && !slices.Contains(maybe, answer.word):
		return nil
	case !errors.As(err, &failed) || failed.Class == outbox.Permanent:
		return nil
	}
	return &outbox.SendError{
		Class: outbox.Temporary, Reason: "could not look whether it was posted before: " + failed.Reason, RetryAfter: failed.RetryAfter,
	}
}

// isLost says that a thread cannot be posted to any more.
func isLost(err error) bool {
	var refused *answerError
	return errors.As(err, &refused) && slices.Contains(lost, refused.word)
}
