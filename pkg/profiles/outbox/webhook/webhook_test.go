// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint/endpointtest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

var made = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// message is one whose id has a dot, which the standard does not allow.
var message = outbox.Message{
	ID: "u-1/hook/3.600", Time: made, Target: v1beta1.NotificationTarget{Endpoint: "e"},
	Texts: v1beta1.NotificationTexts{Message: `{"node":"worker-1"}`},
}

func endpoints(t *testing.T, base string) *endpointtest.Endpoints {
	t.Helper()
	parsed, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return &endpointtest.Endpoints{ToHTTP: &endpoint.HTTP{
		Kind: endpoint.KindWebhook, Base: parsed, Client: &http.Client{}, HMACKey: []byte("key"),
	}}
}

func TestSend(t *testing.T) {
	var bodies, ids []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies, ids = append(bodies, string(body)), append(ids, r.Header.Get("webhook-id"))
		if !strings.HasPrefix(r.Header.Get("webhook-signature"), "v1,") {
			t.Error("it is not signed")
		}
	}))
	defer server.Close()
	to := endpoints(t, server.URL+"/hook?a=b")
	clock := testingclock.NewFakePassiveClock(made)
	sender := New(to, clock)
	for range 2 {
		if _, err := sender.Send(t.Context(), message); err != nil {
			t.Fatal(err)
		}
		clock.SetTime(made.Add(time.Hour))
	}
	const want = `{"type":"nodeprofile.notification","timestamp":"2026-11-20T12:00:00Z","data":{"node":"worker-1"}}`
	if diff := cmp.Diff([]string{want, want}, bodies); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if ids[0] != ids[1] || strings.Contains(ids[0], ".") || to.Waits != 2 {
		t.Errorf("ids %q, %d waits", ids, to.Waits)
	}
}

func TestAnswers(t *testing.T) {
	tests := map[int]outbox.Class{
		302: outbox.Permanent, 400: outbox.Permanent, 403: outbox.Permanent, 404: outbox.Permanent, 410: outbox.Permanent,
		401: outbox.Temporary, 408: outbox.Temporary, 425: outbox.Temporary, 429: outbox.Temporary, 503: outbox.Temporary,
		500: outbox.Maybe, 502: outbox.Maybe, 504: outbox.Maybe,
	}
	for status, want := range tests {
		t.Run(http.StatusText(status), func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, endpointtest.Secret)
			}))
			defer server.Close()
			_, err := New(endpoints(t, server.URL), testingclock.NewFakePassiveClock(made)).Send(t.Context(), message)
			failed := check(t, err, want)
			if wait := failed.RetryAfter == 7*time.Second; wait != (want == outbox.Temporary) {
				t.Errorf("wait %v", failed.RetryAfter)
			}
		})
	}
}

// check checks the class of an error, and that it has no secret.
func check(t *testing.T, err error, want outbox.Class) *outbox.SendError {
	t.Helper()
	var failed *outbox.SendError
	if !errors.As(err, &failed) || failed.Class != want {
		t.Fatalf("error %#v, want class %d", err, want)
	}
	if strings.Contains(failed.Reason, endpointtest.Secret) || strings.Contains(failed.Reason, "://") {
		t.Errorf("it shows a secret: %s", failed.Reason)
	}
	return failed
}

func TestNoAnswer(t *testing.T) {
	hangsUp := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer hangsUp.Close()
	_, err := New(endpoints(t, hangsUp.URL), testingclock.NewFakePassiveClock(made)).Send(t.Context(), message)
	var failed *outbox.SendError
	if !errors.As(err, &failed) || failed.Class != outbox.Maybe {
		t.Errorf("an answer lost: %#v", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	sender := New(endpoints(t, "http://"+listener.Addr().String()), testingclock.NewFakePassiveClock(made))
	_, err = sender.Send(t.Context(), message)
	if !errors.As(err, &failed) || failed.Class != outbox.Temporary {
		t.Errorf("no connection: %#v", err)
	}
}

func TestEndpointsThatCannotBeUsed(t *testing.T) {
	tests := map[string]struct {
		change func(*endpointtest.Endpoints)
		want   string
	}{
		"gone": {
			func(e *endpointtest.Endpoints) { e.Err = &endpoint.Error{Endpoint: "e", Reason: "it does not exist"} },
			"endpoint e: it does not exist",
		},
		"another kind": {
			func(e *endpointtest.Endpoints) { e.ToHTTP.Kind = endpoint.KindSlack },
			"endpoint e: it is no webhook, but slack",
		},
		"too often": {
			func(e *endpointtest.Endpoints) { e.WaitErr = errors.New("too often " + endpointtest.Secret) },
			"could not call the endpoint e: too often (secret)",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			to := endpoints(t, "http://127.0.0.1:1")
			test.change(to)
			_, err := New(to, testingclock.NewFakePassiveClock(made)).Send(t.Context(), message)
			if failed := check(t, err, outbox.Temporary); failed.Reason != test.want {
				t.Errorf("%q, want %q", failed.Reason, test.want)
			}
		})
	}
}
