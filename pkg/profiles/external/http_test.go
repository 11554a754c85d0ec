// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

func TestHTTP(t *testing.T) {
	withHeaders := func(out http.ResponseWriter, in *http.Request) {
		out.Header().Set("X-Ready", "yes")
		says(200, "ok")(out, in)
	}
	tests := map[string]struct {
		answer      http.HandlerFunc
		expression  string
		wantResult  evaluation.Result
		wantMessage string
	}{
		"the status":        {answer: says(204, ""), expression: "response.status == 204", wantResult: evaluation.True, wantMessage: "the expression is true: the server has answered 204, and nodeCount is 3"},
		"an error's status": {answer: says(503, "no"), expression: "response.status == 200", wantResult: evaluation.False, wantMessage: "the server has answered 503"},
		"headers":           {answer: withHeaders, expression: "response.headers['x-ready'] == 'yes'", wantResult: evaluation.True},
		"the body":          {answer: says(200, "ready\n"), expression: "response.body.trim() == 'ready'", wantResult: evaluation.True},
		"JSON":              {answer: says(200, `{"size": 2, "ok": true}`), expression: "response.json.ok && response.json.size < nodeCount", wantResult: evaluation.True},
		"no such field":     {answer: says(200, `{}`), expression: "response.json.ok", wantResult: evaluation.Error, wantMessage: "the expression has no value: no such key: ok; the server has answered 200"},
		"no JSON":           {answer: says(502, "<html>"), expression: "response.json.ok", wantResult: evaluation.Error, wantMessage: "the body is no JSON; the server has answered 502"},
		"a redirect":        {answer: http.RedirectHandler("/other", http.StatusFound).ServeHTTP, expression: "response.status == 302", wantResult: evaluation.True},
		"1 MiB":             {answer: says(200, strings.Repeat("a", 1<<20)), expression: "size(response.body) == 1048576", wantResult: evaluation.True},
		"more than 1 MiB":   {answer: says(200, strings.Repeat("a", 1<<20+1)), expression: "true", wantResult: evaluation.Error, wantMessage: "too large"},
		"broken off":        {answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, expression: "true", wantResult: evaluation.Error, wantMessage: "endpoint http: it closed the connection"},
		"slow":              {answer: func(_ http.ResponseWriter, in *http.Request) { <-in.Context().Done() }, expression: "true", wantResult: evaluation.Error, wantMessage: "endpoint http: it did not answer in time"},
		"no text":           {answer: says(200, "\xff"), expression: "response.body == '\uFFFD'", wantResult: evaluation.True},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, test.answer, func(w *world) {
				wantAnswer(t, w.answer(httpCheck("/x", test.expression)), test.wantResult, test.wantMessage)
				for _, got := range w.called() {
					if want := "/" + secret + "/x"; got.what != want {
						t.Errorf("%q was called, want %q: redirects are not followed", got.what, want)
					}
				}
			})
		})
	}
}

func TestPaths(t *testing.T) {
	tests := map[string]struct{ path, want string }{
		"none":                {want: "https://x/base"},
		"a path":              {path: "/a/b", want: "https://x/base/a/b"},
		"without a slash":     {path: "a", want: "https://x/base/a"},
		"with one at the end": {path: "/a/", want: "https://x/base/a/"},
		"a query":             {path: "/a?b=c&d=%20", want: "https://x/base/a?b=c&d=%20"},
		"only a query":        {path: "?b=c", want: "https://x/base?b=c"},
		"an escaped slash":    {path: "/a%2Fb", want: "https://x/base/a%2Fb"},
		"a fragment":          {path: "/a#b", want: "https://x/base/a"},
		"another server":      {path: "//evil.example.com/a", want: "https://x/base/evil.example.com/a"},
		"another URL":         {path: "http://evil.example.com/a", want: "https://x/base/http:/evil.example.com/a"},
		"up":                  {path: "/../admin"},
		"up, escaped":         {path: "/%2e%2e/admin"},
		"up, and a slash":     {path: "/a%2f..%2f..%2fadmin"},
		"not valid":           {path: "/%zz"},
	}
	base, err := url.Parse("https://x/base")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := below(base, test.path)
			if test.want == "" {
				if err == nil {
					t.Errorf("%s, want an error", got)
				}
				return
			}
			if err != nil || got.String() != test.want {
				t.Errorf("%v (error %v), want %s", got, err, test.want)
			}
		})
	}
}

// kubernikusCount is the expression that does what SAP's check of that name does.
const kubernikusCount = "response.status == 200 && response.json.spec.nodePools.map(p, p.size).sum() <= nodeCount"

// The check kubernikusCount of SAP's controller does not look at the status: the error of a server has no pools, and 0
// nodes are always enough.
func TestSAPKubernikusCount(t *testing.T) {
	tests := map[string]struct {
		status     int
		body       string
		wantResult evaluation.Result
	}{
		"enough":                {status: 200, body: `{"name":"c","spec":{"nodePools":[{"name":"a","size":1},{"name":"b","size":2}]}}`, wantResult: evaluation.True},
		"too few":               {status: 200, body: `{"spec":{"nodePools":[{"size":1},{"size":3}]}}`, wantResult: evaluation.False},
		"no pools":              {status: 200, body: `{"spec":{"nodePools":[]}}`, wantResult: evaluation.True},
		"an error":              {status: 500, body: `{"code":500,"message":"oops"}`, wantResult: evaluation.False},
		"not allowed":           {status: 401, body: ``, wantResult: evaluation.False},
		"without a spec":        {status: 200, body: `{}`, wantResult: evaluation.Error},
		"another type of sizes": {status: 200, body: `{"spec":{"nodePools":[{"size":"1"}]}}`, wantResult: evaluation.Error},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, says(test.status, test.body), func(w *world) {
				check := httpCheck("/api/v1/clusters/c", kubernikusCount)
				check.HTTP.Endpoint = "keystone"
				wantAnswer(t, w.answer(check), test.wantResult, "")
				if calls := w.called(); calls[0].what != "/"+secret+"/api/v1/clusters/c" {
					t.Errorf("%q was called", calls[0].what)
				}
			})
		})
	}
}

// nodeCount is that of when the answer came, and is known anew with the next one.
func TestNodeCount(t *testing.T) {
	var calls atomic.Int64
	answer := func(out http.ResponseWriter, in *http.Request) {
		calls.Add(1)
		says(200, "3")(out, in)
	}
	inBubble(t, answer, func(w *world) {
		facts := factsOf("n1", httpCheck("", "int(response.body) <= nodeCount"))
		wantAnswer(t, w.answer(facts.Profile.Spec.Checks[0]), evaluation.True, "nodeCount is 3")
		w.wantWoken("n1.p", 1)
		w.mu.Lock()
		w.nodeCount = 2
		w.mu.Unlock()
		w.sleep(66 * time.Second)
		wantAnswer(t, w.known(facts), evaluation.False, "nodeCount is 2")
		w.wantWoken("n1.p", 1)
	})
}

// Who has many servers send large answers slowly does not fill the memory, and delays nobody else.
func TestLargeAnswersAreGivenUp(t *testing.T) {
	answer := func(out http.ResponseWriter, in *http.Request) {
		if strings.HasSuffix(in.URL.Path, "/ready") {
			says(200, "ok")(out, in)
			return
		}
		says(200, strings.Repeat("a", v1beta1.MaxAnswerBytes-1))(out, in)
		out.(http.Flusher).Flush()
		<-in.Context().Done()
	}
	inBubble(t, answer, func(w *world) {
		const servers = 20
		var checks []v1beta1.ProfileCheck
		for i := range servers {
			check := httpCheck("/large", "response.status == 200")
			check.HTTP.Endpoint = fmt.Sprintf("http-%d", i)
			checks = append(checks, check)
		}
		facts := factsOf("n1", checks...)
		w.want(facts)
		w.sleep(time.Second)
		w.asker.polls.room.mu.Lock()
		taken := w.asker.polls.room.taken
		w.asker.polls.room.mu.Unlock()
		if taken == 0 || taken > roomBytes {
			t.Errorf("answers take %d bytes", taken)
		}
		givenUp := 0
		for _, known := range w.asker.Answers(facts) {
			wantAnswer(t, known, evaluation.Error, "was given up")
			givenUp++
		}
		if want := servers - roomBytes/v1beta1.MaxAnswerBytes; givenUp < want {
			t.Errorf("%d answers were given up, want %d at least", givenUp, want)
		}
		wantAnswer(t, w.answer(httpCheck("/ready", "response.body == 'ok'")), evaluation.True, "")
		w.sleep(callTimeout)
		w.asker.Forget("n1.p")
		w.sleep(time.Minute)
		if room := &w.asker.polls.room; room.taken != 0 || len(room.answers) != 0 {
			t.Errorf("%d bytes of %d answers are still taken", room.taken, len(room.answers))
		}
	})
}
