// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

// readyz is asked often, and the cluster every ten seconds, or every second while it does not answer.
func TestLastAnswer(t *testing.T) {
	asked, answer := 0, error(nil)
	clock := clocktesting.NewFakeClock(time.Now())
	a := &lastAnswer{clock: clock, ask: func(context.Context) error {
		asked++
		return answer
	}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	want := func(times int, ready bool) {
		t.Helper()
		if err := a.check(request); (err == nil) != ready || asked != times {
			t.Errorf("check = %v after the cluster was asked %d times, want ready %t after %d", err, asked, ready, times)
		}
	}
	want(1, true)
	answer = errors.New("connection refused")
	clock.Step(9 * time.Second)
	want(1, true)
	clock.Step(time.Second)
	want(2, false)
	answer = nil
	want(2, false)
	clock.Step(time.Second)
	want(3, true)
}

// A client that hangs up does not make the server look as if its store did not answer.
func TestLastAnswerOutlivesItsClient(t *testing.T) {
	a := &lastAnswer{clock: clocktesting.NewFakeClock(time.Now()), ask: func(ctx context.Context) error { return ctx.Err() }}
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	for _, ctx := range []context.Context{gone, t.Context()} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "/readyz", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.check(request); err != nil {
			t.Errorf("check = %v, want ready", err)
		}
	}
}
