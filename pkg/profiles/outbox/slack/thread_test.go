// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package slack

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

var titleA = posted{Text: "title a", ID: "C0123456789/chat/1795176000"}

func TestThreadIsSharedForItsPeriod(t *testing.T) {
	a := newAPI(t)
	sender := NewThreads(a, a, a.clock)
	for _, step := range []struct {
		id   string
		wait time.Duration
	}{{"a", 0}, {"b", time.Hour}, {"c", time.Second}} {
		a.clock.SetTime(a.clock.Now().Add(step.wait))
		if _, err := sender.Send(t.Context(), message(step.id)); err != nil {
			t.Fatal(err)
		}
	}
	want := []posted{
		titleA,
		{Text: "text a", Thread: timestamp(1), ID: "a"},
		{Text: "text b", Thread: timestamp(1), ID: "b"}, // exactly at the end of the period
		{Text: "title c", ID: "C0123456789/chat/1795179601"},
		{Text: "text c", Thread: timestamp(4), ID: "c"},
	}
	if diff := cmp.Diff(want, a.posted); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := a.threads[channel+"chat"]; got != thread(start.Add(time.Hour+time.Second), timestamp(4)) {
		t.Errorf("%+v", got)
	}
}

// TestDefectOfSAP: a title was posted again each time that the reply to it failed.
func TestDefectOfSAP(t *testing.T) {
	a := newAPI(t)
	sender := NewThreads(a, a, a.clock)
	a.threads[channel+"chat"] = thread(start.Add(-2*time.Hour), "old")
	a.recordErr = errors.New("the store is down")
	_, err := sender.Send(t.Context(), message("a"))
	wantClass(t, err, outbox.Temporary, "could not record the thread: the store is down")
	if len(a.posted) != 0 {
		t.Fatalf("posted before it was recorded: %+v", a.posted)
	}
	a.recordErr = nil
	for _, step := range []struct {
		fails map[string]func(http.ResponseWriter)
		fail  func(http.ResponseWriter)
		want  outbox.Class
	}{
		{a.after, hangsUp, outbox.Temporary},              // the title arrives, and its answer is lost
		{a.before, says("internal_error"), outbox.Maybe},  // the title is found, and the reply fails
		{a.before, says("ratelimited"), outbox.Temporary}, // and again
	} {
		a.clock.SetTime(a.clock.Now().Add(time.Minute))
		a.fail(step.fails, "chat.postMessage", step.fail)
		_, err := sender.Send(t.Context(), message("a"))
		wantClass(t, err, step.want, "")
	}
	if _, err := sender.Send(t.Context(), message("a")); err != nil {
		t.Fatal(err)
	}
	want := []posted{titleA, {Text: "text a", Thread: timestamp(1), ID: "a"}}
	want[0].ID = fmt.Sprintf("%s/chat/%d", channel, start.Add(time.Minute).Unix())
	if diff := cmp.Diff(want, a.posted); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAThreadThatIsGoneInSlack(t *testing.T) {
	a := newAPI(t)
	a.threads[channel+"chat"] = thread(start, "old")
	a.fail(a.before, "chat.postMessage", says("thread_not_found"))
	got, err := NewThreads(a, a, a.clock).Send(t.Context(), message("a"))
	want := []posted{titleA, {Text: "text a", Thread: timestamp(1), ID: "a"}}
	if diff := cmp.Diff(want, a.posted); diff != "" || err != nil || got.Reference != timestamp(2) {
		t.Errorf("%+v, error %v, -want +got:\n%s", got, err, diff)
	}
}

// TestAReplyLost has Slack take a reply whose answer is lost.
func TestAReplyLost(t *testing.T) {
	a := newAPI(t)
	a.threads[channel+"chat"] = thread(start, "t-1")
	a.fail(a.after, "chat.postMessage", hangsUp)
	again := message("a")
	_, err := NewThreads(a, a, a.clock).Send(t.Context(), again)
	wantClass(t, err, outbox.Maybe, "gave no answer")
	again.Again = true
	got, err := NewThreads(a, a, a.clock).Send(t.Context(), again)
	if err != nil || got.Reference != timestamp(1) || len(a.posted) != 1 {
		t.Errorf("%+v, error %v, %+v", got, err, a.posted)
	}
}
