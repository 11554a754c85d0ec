// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package slack

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

func TestPost(t *testing.T) {
	a := newAPI(t)
	got, err := New(a).Send(t.Context(), message("a"))
	if err != nil || got.Reference != timestamp(1) || a.Waits != 1 {
		t.Errorf("%+v, error %v, %d waits", got, err, a.Waits)
	}
	if diff := cmp.Diff([]posted{{Text: "text a", ID: "a"}}, a.posted); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestIncomingWebhook(t *testing.T) {
	a := newAPI(t)
	a.ToHTTP.Token = ""
	a.ToHTTP.Base = a.ToHTTP.Base.JoinPath("../services/hook")
	if _, err := New(a).Send(t.Context(), message("a")); err != nil {
		t.Error(err)
	}
	if want := `{"channel":"C0123456789","text":"text a",`; len(a.hooked) != 1 || !strings.HasPrefix(a.hooked[0], want) {
		t.Errorf("%q, want %s", a.hooked, want)
	}
	a.fail(a.before, "/services/hook", func(w http.ResponseWriter) { http.Error(w, "no_service", http.StatusNotFound) })
	_, err := New(a).Send(t.Context(), message("a"))
	wantClass(t, err, outbox.Permanent, "has answered with the status 404")
	_, err = NewThreads(a, a, a.clock).Send(t.Context(), message("a"))
	wantClass(t, err, outbox.Temporary, "its Secret has no key token")
}

func TestWhatSlackSays(t *testing.T) {
	tests := map[string]struct {
		fail   func(http.ResponseWriter)
		want   outbox.Class
		reason string
	}{
		"no such channel":  {says("channel_not_found"), outbox.Permanent, `Slack (endpoint e) has answered "channel_not_found"`},
		"too long":         {says("msg_too_long"), outbox.Permanent, "msg_too_long"},
		"a wrong token":    {says("invalid_auth"), outbox.Temporary, "invalid_auth"},
		"too often":        {says("ratelimited"), outbox.Temporary, "ratelimited"},
		"an error inside":  {says("internal_error"), outbox.Maybe, "internal_error"},
		"unavailable":      {answers(http.StatusServiceUnavailable, ""), outbox.Temporary, "status 503"},
		"a broken gateway": {answers(http.StatusBadGateway, ""), outbox.Maybe, "status 502"},
		"no answer":        {hangsUp, outbox.Maybe, "gave no answer"},
		"no JSON":          {answers(http.StatusOK, "<html>"), outbox.Maybe, "gave no answer that says"},
		"slow down": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(http.StatusTooManyRequests)
		}, outbox.Temporary, "status 429"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t)
			a.fail(a.before, "chat.postMessage", test.fail)
			_, err := New(a).Send(t.Context(), message("a"))
			failed := wantClass(t, err, test.want, test.reason)
			if want := name == "slow down"; want != (failed.RetryAfter == 30*time.Second) {
				t.Errorf("wait %v", failed.RetryAfter)
			}
		})
	}
}

// TestAnAnswerLost has Slack take a message whose answer is lost.
func TestAnAnswerLost(t *testing.T) {
	a := newAPI(t)
	a.fail(a.after, "chat.postMessage", hangsUp)
	again := message("a")
	_, err := New(a).Send(t.Context(), again)
	wantClass(t, err, outbox.Maybe, "gave no answer that says whether it has the message")
	again.Again = true
	got, err := New(a).Send(t.Context(), again)
	if err != nil || got.Reference != timestamp(1) || len(a.posted) != 1 {
		t.Errorf("%+v, error %v, %d posted", got, err, len(a.posted))
	}
	other := message("b")
	other.Again = true
	if _, err := New(a).Send(t.Context(), other); err != nil || len(a.posted) != 2 {
		t.Errorf("error %v, %d posted", err, len(a.posted))
	}
	a.fail(a.before, "conversations.history", says("missing_scope"))
	if _, err := New(a).Send(t.Context(), again); err != nil || len(a.posted) != 3 {
		t.Errorf("it may not look: error %v, %d posted", err, len(a.posted))
	}
}

func TestAChannelByNameIsNotSearched(t *testing.T) {
	a := newAPI(t)
	again := message("a")
	again.Again, again.Target.Channel = true, "#maintenance"
	_, err := New(a).Send(t.Context(), again)
	wantClass(t, err, outbox.Temporary, "invalid_auth") // which says that it was posted
	if a.reads != 0 {
		t.Error("Slack was searched by a name, which it does not know")
	}
}

func TestAnotherKindOfEndpoint(t *testing.T) {
	a := newAPI(t)
	a.ToHTTP.Kind = endpoint.KindHTTP
	_, err := New(a).Send(t.Context(), message("a"))
	wantClass(t, err, outbox.Temporary, "endpoint e: it is no Slack, but http")
	a.Err = &endpoint.Error{Endpoint: "e", Reason: "it does not exist"}
	_, err = New(a).Send(t.Context(), message("a"))
	wantClass(t, err, outbox.Temporary, "endpoint e: it does not exist")
}
