// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

// The values are those of the test vector that libraries of the standard share.
func TestSign(t *testing.T) {
	const body = `{"test": 2432232314}`
	tests := map[string]struct {
		key, want string
		wantError error
	}{
		"as the standard writes keys": {key: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", want: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
		"with a line break":           {key: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", want: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
		"bytes": {
			key: "1\xf2\x90\xf6\xbf\x06)\x8a\xabO\x08\xd4<?\x08,\xf6H\xa3b\xda-\xa4\xb0", want: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
		},
		"no key":    {},
		"no base64": {key: "whsec_!", wantError: errKey},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			headers := http.Header{}
			err := sign(headers, []byte(test.key), "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(body))
			if !errors.Is(err, test.wantError) || headers.Get("webhook-signature") != test.want {
				t.Errorf("signature %q, error %v, want %q, %v", headers.Get("webhook-signature"), err, test.want, test.wantError)
			}
			if headers.Get("webhook-id") != "msg_p5jXN8AQM9LWM0D4loKWxJek" || headers.Get("webhook-timestamp") != "1614265330" {
				t.Errorf("headers %v", headers)
			}
		})
	}
}

func TestPost(t *testing.T) {
	var got *http.Request
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read, _ := io.ReadAll(r.Body)
		got, body = r, string(read)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, strings.Repeat("x", 3<<20))
	}))
	defer server.Close()
	base, err := url.Parse(server.URL + "/hook?tenant=a")
	if err != nil {
		t.Fatal(err)
	}
	event := Event{Type: "a.b", Timestamp: time.Unix(60, 0).UTC(), Data: map[string]string{"node": "worker-1"}}
	answer, err := Post(t.Context(), &endpoint.HTTP{Base: base, Client: server.Client()}, "id", time.Unix(90, 0), event)
	if want := (Answer{Status: 503, RetryAfter: 7 * time.Second}); err != nil || answer != want {
		t.Fatalf("answer %+v, error %v, want %+v", answer, err, want)
	}
	const want = `{"type":"a.b","timestamp":"1970-01-01T00:01:00Z","data":{"node":"worker-1"}}`
	if diff := cmp.Diff(want, body); diff != "" {
		t.Error(diff)
	}
	if got.Method != http.MethodPost || got.URL.String() != "/hook?tenant=a" || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s %s %v", got.Method, got.URL, got.Header)
	}
}

func TestAnswer(t *testing.T) {
	tests := map[int]struct{ later, done, refused bool }{
		200: {done: true}, 204: {done: true}, 202: {later: true, done: true},
		400: {refused: true}, 401: {refused: true}, 404: {refused: true}, 410: {refused: true},
		408: {}, 425: {}, 429: {}, 302: {}, 500: {}, 503: {}, 799: {},
	}
	for status, want := range tests {
		a := Answer{Status: status}
		if a.Later() != want.later || a.Done() != want.done || a.Refused() != want.refused {
			t.Errorf("%s: later %t, done %t, refused %t, want %+v", a, a.Later(), a.Done(), a.Refused(), want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "30": 30 * time.Second, "-1": 0, "soon": 0, "99999999": time.Hour, "99999999999999999999": 0,
		"Thu, 01 Jan 2026 12:02:00 GMT": 2 * time.Minute, "Thu, 01 Jan 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}
