// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

var now = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// server is a server of an endpoint, and the Endpoints that know it.
type server struct {
	*httptest.Server
	status     int
	retryAfter string
	calls      []*http.Request
	bodies     []string

	kind        endpoint.Kind
	err, tooFew error
}

func newServer(t *testing.T) *server {
	s := &server{status: http.StatusOK, kind: endpoint.KindWebhook}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.calls, s.bodies = append(s.calls, r), append(s.bodies, string(body))
		if s.retryAfter != "" {
			w.Header().Set("Retry-After", s.retryAfter)
		}
		w.WriteHeader(s.status)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) HTTP(context.Context, string) (*endpoint.HTTP, error) {
	base, _ := url.Parse(s.URL)
	return &endpoint.HTTP{Kind: s.kind, Base: base, Client: s.Client(), HMACKey: []byte("key")}, s.err
}

func (s *server) SMTP(context.Context, string) (*endpoint.SMTP, error) { return nil, errors.New("no") }

func (s *server) Wait(context.Context, string) error { return s.tooFew }

func (s *server) Clean(err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), s.URL, "[hidden]"))
}

func stepOf() action.Step {
	transition := &v1beta1.RecordedTransition{
		ID: "np-uid/3.1", Phase: v1beta1.PhaseTriggers, Name: "reboot", From: v1beta1.ProfileMaintenanceRequired,
		Next: v1beta1.ProfileInMaintenance, DecidedTime: metav1.NewMicroTime(now.Add(-time.Minute)), By: "alice", Reason: "now",
		Steps: []v1beta1.TransitionStep{{ID: "1-call", Trigger: v1beta1.ProfileTrigger{
			Name: "call", Webhook: &v1beta1.WebhookTrigger{Endpoint: "dc"},
		}}},
	}
	return action.Step{
		Profile: "flatcar", Transition: transition, Recorded: &transition.Steps[0],
		NodeProfile: &v1beta1.NodeProfile{
			Spec:   v1beta1.NodeProfileSpec{NodeName: "worker-1", Profile: "flatcar"},
			Status: v1beta1.NodeProfileStatus{State: v1beta1.ProfileMaintenanceRequired, NodeUID: "node-uid"},
		},
	}
}

func TestWhatTheServerIsTold(t *testing.T) {
	s := newServer(t)
	s.status = http.StatusInternalServerError
	clock := testingclock.NewFakePassiveClock(now)
	trigger := New(s, clock)
	for range 2 {
		_, _ = trigger.Do(t.Context(), stepOf())
		clock.SetTime(now.Add(time.Minute))
	}
	want := `{"type":"nodeprofile.trigger","timestamp":"2026-01-01T11:59:00Z","data":{"id":"np-uid/3.1/Triggers/1-call",` +
		`"node":"worker-1","nodeUID":"node-uid","profile":"flatcar","state":"MaintenanceRequired","transition":"reboot",` +
		`"from":"MaintenanceRequired","next":"InMaintenance","phase":"Triggers","trigger":"call","by":"alice","reason":"now"}}`
	if diff := cmp.Diff([]string{want, want}, s.bodies); diff != "" {
		t.Fatal(diff)
	}
	first, second := s.calls[0].Header, s.calls[1].Header
	if id := first.Get("webhook-id"); id != stepOf().Key() || second.Get("webhook-id") != id {
		t.Errorf("ids %q and %q, want %q twice", id, second.Get("webhook-id"), stepOf().Key())
	}
	if first.Get("webhook-timestamp") != "1767268800" || second.Get("webhook-timestamp") != "1767268860" {
		t.Errorf("times %q and %q", first.Get("webhook-timestamp"), second.Get("webhook-timestamp"))
	}
	if first.Get("webhook-signature") == "" || first.Get("webhook-signature") == second.Get("webhook-signature") {
		t.Errorf("signatures %q and %q", first.Get("webhook-signature"), second.Get("webhook-signature"))
	}
}

func TestAnswers(t *testing.T) {
	tests := map[string]struct {
		status     int
		retryAfter string
		want       action.Progress
		wantError  string
	}{
		"done":          {status: 200, want: action.Done()},
		"nothing":       {status: 204, want: action.Done()},
		"ask again":     {status: 202, want: action.Waiting("endpoint dc is at it: it has answered 202 Accepted", now.Add(30*time.Second))},
		"ask again in":  {status: 202, retryAfter: "5", want: action.Waiting("endpoint dc is at it: it has answered 202 Accepted", now.Add(5*time.Second))},
		"refused":       {status: 409, want: action.Failed("endpoint dc has refused it: 409 Conflict")},
		"too many":      {status: 429, wantError: "endpoint dc has answered 429 Too Many Requests"},
		"too early":     {status: 425, wantError: "endpoint dc has answered 425 Too Early"},
		"took too long": {status: 408, wantError: "endpoint dc has answered 408 Request Timeout"},
		"too many, until": {
			status: 429, retryAfter: "90",
			want: action.Waiting("endpoint dc has answered 429 Too Many Requests, and asks to be called later", now.Add(90*time.Second)),
		},
		"broken":  {status: 500, wantError: "endpoint dc has answered 500 Internal Server Error"},
		"another": {status: 302, wantError: "endpoint dc has answered 302 Found"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			s.status, s.retryAfter = test.status, test.retryAfter
			progress, err := New(s, testingclock.NewFakePassiveClock(now)).Do(t.Context(), stepOf())
			if progress != test.want || (err == nil) != (test.wantError == "") || err != nil && err.Error() != test.wantError {
				t.Errorf("progress %+v, error %v, want %+v, %q", progress, err, test.want, test.wantError)
			}
		})
	}
}

func TestNotCalled(t *testing.T) {
	tests := map[string]struct {
		change    func(*server, *action.Step)
		want      action.Progress
		wantError string
	}{
		"the endpoint does not exist": {
			change: func(s *server, _ *action.Step) { s.err = &endpoint.Error{Endpoint: "dc", Reason: "it does not exist"} },
			want:   action.Failed("endpoint dc: it does not exist"),
		},
		"the Secret is not read yet": {
			change:    func(s *server, _ *action.Step) { s.err = errors.New("not read from " + s.URL) },
			wantError: "could not call endpoint dc: not read from [hidden]",
		},
		"another kind": {
			change: func(s *server, _ *action.Step) { s.kind = endpoint.KindPrometheus },
			want:   action.Failed("endpoint dc is no webhook, but prometheus"),
		},
		"too many calls a minute": {
			change:    func(s *server, _ *action.Step) { s.tooFew = context.DeadlineExceeded },
			wantError: "could not call endpoint dc: context deadline exceeded",
		},
		"a dry run": {change: func(_ *server, step *action.Step) { step.DryRun = true }, want: action.Done()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s, step := newServer(t), stepOf()
			test.change(s, &step)
			progress, err := New(s, testingclock.NewFakePassiveClock(now)).Do(t.Context(), step)
			if progress != test.want || (err == nil) != (test.wantError == "") || err != nil && err.Error() != test.wantError {
				t.Errorf("progress %+v, error %v, want %+v, %q", progress, err, test.want, test.wantError)
			}
			if len(s.calls) > 0 {
				t.Error("the server was called")
			}
		})
	}
}

func TestNoAnswer(t *testing.T) {
	s := newServer(t)
	s.CloseClientConnections()
	s.Close()
	progress, err := New(s, testingclock.NewFakePassiveClock(now)).Do(t.Context(), stepOf())
	if err == nil || strings.Contains(err.Error(), s.URL) || progress.State != "" {
		t.Errorf("progress %+v, error %v, want an error without the URL", progress, err)
	}
}
