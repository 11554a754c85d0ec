// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint/endpointtest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

const (
	token   = "xoxb-" + endpointtest.Secret
	channel = "C0123456789"
)

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// posted is a message in Slack.
type posted struct {
	Text, Thread, ID string
}

// api speaks Slack's API: chat.postMessage, conversations.history and conversations.replies, and incoming webhooks.
type api struct {
	*endpointtest.Endpoints
	t *testing.T
	// mu is held while a call is answered: who hangs up may be seen before the answer has ended.
	mu     sync.Mutex
	posted []posted
	hooked []string
	// fail fails the next calls of a method, before or after the message was posted.
	before, after map[string]func(http.ResponseWriter)
	reads         int
	threads       map[string]v1beta1.SlackThread
	recordErr     error
	clock         *testingclock.FakePassiveClock
}

func newAPI(t *testing.T) *api {
	t.Helper()
	a := &api{
		t: t, before: map[string]func(http.ResponseWriter){}, after: map[string]func(http.ResponseWriter){},
		threads: map[string]v1beta1.SlackThread{}, clock: testingclock.NewFakePassiveClock(start),
	}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL + "/api/")
	if err != nil {
		t.Fatal(err)
	}
	a.Endpoints = &endpointtest.Endpoints{
		ToHTTP: &endpoint.HTTP{Kind: endpoint.KindSlack, Base: base, Client: &http.Client{}, Token: token},
	}
	return a
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	method := strings.TrimPrefix(r.URL.Path, "/api/")
	if a.failed(a.before, method, w) {
		return
	}
	switch method {
	case "chat.postMessage", "conversations.history", "conversations.replies":
		if r.PostFormValue("token") != token || r.PostFormValue("channel") != channel {
			reply(w, map[string]any{"ok": false, "error": "invalid_auth"})
			return
		}
		a.answer(w, r, method)
	case "/services/hook":
		body, _ := io.ReadAll(r.Body)
		a.hooked = append(a.hooked, string(body))
		_, _ = io.WriteString(w, "ok")
	default:
		http.NotFound(w, r)
	}
}

// fail has the next call of a method fail.
func (a *api) fail(fails map[string]func(http.ResponseWriter), method string, how func(http.ResponseWriter)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fails[method] = how
}

// failed has a call fail once.
func (a *api) failed(fails map[string]func(http.ResponseWriter), method string, w http.ResponseWriter) bool {
	fail := fails[method]
	delete(fails, method)
	if fail != nil {
		fail(w)
	}
	return fail != nil
}

func (a *api) answer(w http.ResponseWriter, r *http.Request, method string) {
	if method != "chat.postMessage" {
		a.list(w, r.PostFormValue("ts"), r.PostFormValue("include_all_metadata") == "1")
		return
	}
	var metadata struct {
		Payload map[string]string `json:"event_payload"`
	}
	if err := json.Unmarshal([]byte(r.PostFormValue("metadata")), &metadata); err != nil {
		a.t.Errorf("metadata %q: %v", r.PostFormValue("metadata"), err)
	}
	a.posted = append(a.posted, posted{r.PostFormValue("text"), r.PostFormValue("thread_ts"), metadata.Payload["id"]})
	if !a.failed(a.after, method, w) {
		reply(w, map[string]any{"ok": true, "channel": channel, "ts": timestamp(len(a.posted))})
	}
}

// list answers with the messages of the channel, or of a thread.
func (a *api) list(w http.ResponseWriter, thread string, withMetadata bool) {
	a.reads++
	messages := []map[string]any{}
	for i, p := range a.posted {
		if p.Thread != thread {
			continue
		}
		message := map[string]any{"type": "message", "text": p.Text, "ts": timestamp(i + 1)}
		if withMetadata {
			message["metadata"] = map[string]any{"event_type": eventType, "event_payload": map[string]string{"id": p.ID}}
		}
		messages = append(messages, message)
	}
	reply(w, map[string]any{"ok": true, "messages": messages})
}

func timestamp(n int) string { return fmt.Sprintf("17000000%02d.000100", n) }

func reply(w http.ResponseWriter, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

func says(word string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { reply(w, map[string]any{"ok": false, "error": word}) }
}

func answers(status int, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func hangsUp(http.ResponseWriter) { panic(http.ErrAbortHandler) }

// Find and Record implement outbox.Threads.
func (a *api) Find(_ context.Context, target v1beta1.NotificationTarget, notifier string) (v1beta1.SlackThread, error) {
	return a.threads[target.Channel+notifier], nil
}

func (a *api) Record(_ context.Context, target v1beta1.NotificationTarget, thread v1beta1.SlackThread) error {
	if a.recordErr == nil {
		a.threads[target.Channel+thread.Notifier] = thread
	}
	return a.recordErr
}

func message(id string) outbox.Message {
	return outbox.Message{
		ID: id, Notifier: "chat", Time: start,
		Target: v1beta1.NotificationTarget{Endpoint: "e", Channel: channel, PeriodSeconds: 3600},
		Texts:  v1beta1.NotificationTexts{Title: "title " + id, Message: "text " + id},
	}
}

func wantClass(t *testing.T, err error, want outbox.Class, reason string) *outbox.SendError {
	t.Helper()
	var failed *outbox.SendError
	if !errors.As(err, &failed) || failed.Class != want || !strings.Contains(failed.Reason, reason) {
		t.Fatalf("error %#v, want class %d and %q", err, want, reason)
	}
	if strings.Contains(failed.Reason, endpointtest.Secret) {
		t.Errorf("it shows a secret: %s", failed.Reason)
	}
	return failed
}

func thread(since time.Time, timestamp string) v1beta1.SlackThread {
	return v1beta1.SlackThread{Channel: channel, Notifier: "chat", Since: metav1.NewTime(since), Timestamp: timestamp}
}
