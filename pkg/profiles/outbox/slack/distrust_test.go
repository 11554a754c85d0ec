// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package slack

import (
	"net/http"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint/endpointtest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// A message that may be there is not posted again because Slack could not be asked about it for a moment.
func TestASearchThatFailsIsNoAnswer(t *testing.T) {
	for name, fail := range map[string]func(http.ResponseWriter){
		"too often": says("ratelimited"), "an error inside": says("internal_error"), "no answer": hangsUp,
		"a broken gateway": answers(http.StatusBadGateway, ""),
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t)
			a.fail(a.after, "chat.postMessage", hangsUp)
			again := message("a")
			_, err := New(a).Send(t.Context(), again)
			wantClass(t, err, outbox.Maybe, "gave no answer")
			again.Again = true
			a.fail(a.before, "conversations.history", fail)
			_, err = New(a).Send(t.Context(), again)
			wantClass(t, err, outbox.Temporary, "could not look whether it was posted before")
			got, err := New(a).Send(t.Context(), again)
			if err != nil || got.Reference != timestamp(1) || len(a.posted) != 1 {
				t.Errorf("%+v, error %v, %d posted", got, err, len(a.posted))
			}
		})
	}
}

// The same for the message that begins a thread.
func TestASearchForAThreadThatFailsIsNoAnswer(t *testing.T) {
	a := newAPI(t)
	sender := NewThreads(a, a, a.clock)
	a.fail(a.after, "chat.postMessage", hangsUp)
	_, err := sender.Send(t.Context(), message("a"))
	wantClass(t, err, outbox.Temporary, "gave no answer")
	a.fail(a.before, "conversations.history", says("ratelimited"))
	_, err = sender.Send(t.Context(), message("a"))
	wantClass(t, err, outbox.Temporary, "could not look whether it was posted before")
	if _, err := sender.Send(t.Context(), message("a")); err != nil || len(a.posted) != 2 {
		t.Errorf("error %v, %+v", err, a.posted)
	}
}

// A server that is not Slack, or not itself any more, may answer with what it was sent. Nothing of that is stored.
func TestAnswersWithSecrets(t *testing.T) {
	echo := func(w http.ResponseWriter) { reply(w, map[string]any{"ok": true, "channel": channel, "ts": token}) }
	a := newAPI(t)
	a.fail(a.before, "chat.postMessage", says("invalid token "+token))
	_, err := New(a).Send(t.Context(), message("a"))
	wantClass(t, err, outbox.Permanent, `has answered "(an error of no known form)"`)
	a.fail(a.before, "chat.postMessage", echo)
	if got, err := New(a).Send(t.Context(), message("a")); err != nil || strings.Contains(got.Reference, endpointtest.Secret) {
		t.Errorf("%+v, error %v", got, err)
	}
	a.fail(a.before, "chat.postMessage", echo)
	_, err = NewThreads(a, a, a.clock).Send(t.Context(), message("a"))
	wantClass(t, err, outbox.Permanent, "no timestamp")
	if got := a.threads[channel+"chat"].Timestamp; got != "" {
		t.Errorf("the thread has the timestamp %q", got)
	}
}
