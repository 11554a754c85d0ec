// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
)

// suspend returns the time after the machine was suspended for d: the monotonic clock stood still meanwhile.
func suspend(now time.Time, d time.Duration) time.Time {
	wall := (*uint64)(unsafe.Pointer(&now)) // the first field, with the seconds of the wall clock above 30 bits
	*wall += uint64(d/time.Second) << 30
	return now
}

func TestFence(t *testing.T) {
	renewed := time.Now()
	for name, tc := range map[string]struct {
		now time.Time
		// end ends the term.
		end     func(f *Fence)
		refused error // nil: the write passes
	}{
		"just renewed":                 {now: renewed},
		"just before the deadline":     {now: renewed.Add(renewDeadline - 1)},
		"at the deadline":              {now: renewed.Add(renewDeadline), refused: errNotRenewed},
		"after SIGSTOP":                {now: renewed.Add(40 * time.Second), refused: errNotRenewed},
		"after a short suspension":     {now: suspend(renewed, 9*time.Second)},
		"after a suspension":           {now: suspend(renewed, 40*time.Second), refused: errNotRenewed},
		"the wall clock was set back":  {now: suspend(renewed.Add(time.Minute), -time.Hour), refused: errNotRenewed},
		"set back, and not overdue":    {now: suspend(renewed.Add(time.Second), -time.Hour)},
		"another has taken the lease":  {now: renewed, end: func(f *Fence) { f.close(errTaken) }, refused: errTaken},
		"the first cause counts":       {now: renewed, end: func(f *Fence) { f.close(errTaken); f.close(errStopped) }, refused: errTaken},
		"a late renewal opens nothing": {now: renewed, end: func(f *Fence) { f.close(errNotRenewed); f.renew(renewed) }, refused: errNotRenewed},
		"the next term":                {now: renewed, end: func(f *Fence) { f.close(errTaken); f.open() }},
	} {
		t.Run(name, func(t *testing.T) {
			f := &Fence{clock: clocktesting.NewFakePassiveClock(tc.now), lasts: renewDeadline}
			if _, err := f.check(); !errors.Is(err, ErrNotLeading) {
				t.Errorf("before the first term: %v", err)
			}
			f.renew(renewed)
			over := f.open()
			if tc.end != nil {
				tc.end(f)
			}
			_, err := f.check()
			if tc.refused == nil && err != nil || tc.refused != nil && (!errors.Is(err, tc.refused) || !errors.Is(err, ErrNotLeading)) {
				t.Errorf("the fence says %v, want %v", err, tc.refused)
			}
			select {
			case <-over:
			default:
				if tc.refused != nil {
					t.Error("the term is not over")
				}
			}
		})
	}
}

// transport answers requests when it is told to.
type transport struct {
	sent   []string
	answer chan struct{}
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.sent = append(t.sent, req.Method)
	select {
	case <-t.answer:
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}"))}, nil
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
}

func TestFencedRequests(t *testing.T) {
	for name, tc := range map[string]struct {
		method   string
		lead     bool
		wantSent bool
	}{
		"a write of the leader":      {http.MethodPatch, true, true},
		"a read of the leader":       {http.MethodGet, true, true},
		"a read of another":          {http.MethodGet, false, true},
		"a patch of another":         {http.MethodPatch, false, false},
		"an eviction of another":     {http.MethodPost, false, false},
		"an update of another":       {http.MethodPut, false, false},
		"a deletion of another":      {http.MethodDelete, false, false},
		"an unknown verb of another": {"BREW", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Now()
			f := &Fence{clock: clocktesting.NewFakePassiveClock(now), lasts: renewDeadline}
			if tc.lead {
				f.renew(now)
				f.open()
			}
			below := &transport{answer: make(chan struct{}, 1)}
			below.answer <- struct{}{}
			err := request(t, f, below, tc.method)
			if sent := len(below.sent) == 1; sent != tc.wantSent || (err == nil) != tc.wantSent {
				t.Errorf("sent: %t, want %t; the answer is %v", sent, tc.wantSent, err)
			}
			if err != nil && !errors.Is(err, ErrNotLeading) {
				t.Errorf("refused with %v", err)
			}
		})
	}
}

// request makes a request through the fence.
func request(t *testing.T, f *Fence, below http.RoundTripper, method string) error {
	req, err := http.NewRequestWithContext(t.Context(), method, "https://cluster", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: f.Wrap(below)}).Do(req)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// What is in flight when the term ends is canceled, but for reads.
func TestRequestsInFlight(t *testing.T) {
	for name, tc := range map[string]struct {
		method       string
		wantCanceled bool
	}{
		"a write": {http.MethodPost, true},
		"a read":  {http.MethodGet, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &Fence{clock: clock.RealClock{}, lasts: renewDeadline}
				f.renew(time.Now())
				f.open()
				var ended bool
				below := &transport{answer: make(chan struct{})}
				answered := make(chan error, 1)
				go func() {
					err := request(t, f, below, tc.method)
					ended = true
					answered <- err
				}()
				synctest.Wait()
				if ended {
					t.Fatal("the request ends before the term is over")
				}
				f.close(errTaken)
				synctest.Wait()
				if ended != tc.wantCanceled {
					t.Errorf("the request has ended: %t, want %t", ended, tc.wantCanceled)
				}
				close(below.answer)
				if err := <-answered; (err != nil) != tc.wantCanceled {
					t.Errorf("the answer is %v", err)
				}
			})
		})
	}
}

// A term ends by itself when its lease is not renewed, and not before.
func TestTermExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &Fence{clock: clock.RealClock{}, lasts: renewDeadline}
		f.renew(time.Now())
		over := f.open()
		go f.expire(clock.RealClock{})
		for range 10 {
			time.Sleep(renewDeadline - time.Second)
			f.renew(time.Now())
		}
		began := time.Now()
		<-over
		if took := time.Since(began); took != renewDeadline {
			t.Errorf("the term is over after %s, want %s", took, renewDeadline)
		}
	})
}
