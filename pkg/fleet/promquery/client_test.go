// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package promquery

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const query = `sum(up{job="db"}) > 2`

// success is an answer of the query API with that result.
func success(kind, result string) string {
	return fmt.Sprintf(`{"status":"success","data":{"resultType":%q,"result":%s}}`, kind, result)
}

// says has the server answer with that status and body.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// newClient returns a client that also waits for a server on a slow machine.
func newClient(t *testing.T, config Config) *Client {
	t.Helper()
	client, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	client.timeout = time.Minute
	t.Cleanup(client.Rest)
	return client
}

// wantAnswer wants the query to pass, or not, for that reason. An empty reason: it passes.
func wantAnswer(t *testing.T, client *Client, wantWhy string) {
	t.Helper()
	passes, why := client.Passes(t.Context(), query)
	if passes != (wantWhy == "") || !strings.Contains(why, wantWhy) || passes != (why == "") {
		t.Errorf("it passes: %t (%q), want what says %q", passes, why, wantWhy)
	}
	if len(why) > maxError || strings.ContainsAny(why, "\n\x1b") || strings.Contains(why, "127.0.0.1") {
		t.Errorf("the reason is not fit for a message: %q", why)
	}
}

// wantReason wants the query not to pass for this reason, and nothing beside it: no file, and nothing that changes.
func wantReason(t *testing.T, client *Client, want string) {
	t.Helper()
	if _, why := client.Passes(t.Context(), query); why != want {
		t.Errorf("it does not pass because of %q, want %q", why, want)
	}
}

func TestAnswers(t *testing.T) {
	sample := func(value string) string {
		return fmt.Sprintf(`[{"metric":{"job":"db"},"value":[1700000000.1,%q]}]`, value)
	}
	tests := map[string]struct {
		answer  http.HandlerFunc
		wantWhy string
	}{
		"a vector":                   {answer: says(200, success("vector", sample("3")))},
		"a vector of 0":              {answer: says(200, success("vector", sample("0")))},
		"an infinite one":            {answer: says(200, success("vector", sample("+Inf")))},
		"a vector with a warning":    {answer: says(200, strings.Replace(success("vector", sample("3")), "{", `{"warnings":["w"],`, 1)), wantWhy: incomplete},
		"a vector with an info":      {answer: says(200, strings.Replace(success("vector", sample("3")), "{", `{"infos":["i"],`, 1))},
		"a histogram":                {answer: says(200, success("vector", `[{"metric":{},"histogram":[1,{"count":"1","sum":"1","buckets":[]}]}]`))},
		"a scalar":                   {answer: says(200, success("scalar", `[1700000000.1,"1"]`))},
		"a scalar of 0":              {answer: says(200, success("scalar", `[1700000000.1,"0"]`))},
		"an empty vector":            {answer: says(200, success("vector", `[]`)), wantWhy: "the query has no result"},
		"no vector":                  {answer: says(200, success("vector", `null`)), wantWhy: unreadable},
		"a vector of NaN":            {answer: says(200, success("vector", sample("NaN"))), wantWhy: "NaN"},
		"a scalar of NaN":            {answer: says(200, success("scalar", `[1,"NaN"]`)), wantWhy: "NaN"},
		"a range":                    {answer: says(200, success("matrix", `[{"metric":{},"values":[[1,"1"]]}]`)), wantWhy: "of type matrix"},
		"a string":                   {answer: says(200, success("string", `[1,"yes"]`)), wantWhy: unreadable},
		"a bad query":                {answer: says(400, `{"status":"error","errorType":"bad_data","error":"parse error: \u001b[31m bad\nline"}`), wantWhy: `Prometheus does not accept the query: parse error: \u001b[31m bad\nline`},
		"a query that took too long": {answer: says(503, `{"status":"error","errorType":"timeout","error":"query timed out"}`), wantWhy: "server error: 503"},
		"a server error":             {answer: says(500, "<html>oops"), wantWhy: "server error: 500"},
		"a client error":             {answer: says(401, "who are you?"), wantWhy: "client error: 401"},
		"an evaluation that failed":  {answer: says(422, `{"status":"error","errorType":"execution","error":"found 7 at 12:03"}`), wantWhy: noAnswer + "it could not work out the result"},
		"no JSON":                    {answer: says(200, "<html>hello"), wantWhy: unreadable},
		"nothing":                    {answer: says(200, ""), wantWhy: unreadable},
		"no content":                 {answer: says(204, ""), wantWhy: unreadable},
		"a long error":               {answer: says(400, fmt.Sprintf(`{"status":"error","errorType":"bad_data","error":%q}`, strings.Repeat("a", 5000))), wantWhy: "aaa..."},
		"a huge answer": {
			answer:  says(200, success("vector", "["+strings.Repeat(`{"metric":{"job":"db"},"value":[1,"1"]},`, 50000)+"]")),
			wantWhy: noAnswer + errTooLong.Error(),
		},
		"another redirect each time": {
			answer: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, r.URL.Path+"x", http.StatusTemporaryRedirect)
			},
			wantWhy: noAnswer + errRedirects.Error(),
		},
		"a server that breaks off": {
			answer:  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			wantWhy: noAnswer + "the connection failed",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(test.answer)
			defer server.Close()
			wantAnswer(t, newClient(t, Config{URL: server.URL}), test.wantWhy)
		})
	}
}

func TestQuestion(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/prefix/api/v1/query" && r.FormValue("query") == query && r.Header.Get("Authorization") == "" {
			says(200, success("scalar", `[1,"1"]`))(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	defer server.Close()
	wantAnswer(t, newClient(t, Config{URL: server.URL + "/prefix/"}), "")
}

func TestServerThatOnlyKnowsGet(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			http.Error(w, "no", http.StatusMethodNotAllowed)
			return
		}
		says(200, success("scalar", `[1,"1"]`))(w, r)
	}))
	defer server.Close()
	wantAnswer(t, newClient(t, Config{URL: server.URL}), "")
}

func TestServerThatHangs(t *testing.T) {
	tests := map[string]http.HandlerFunc{
		"before it answers": func(http.ResponseWriter, *http.Request) {},
		"within the answer": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"status":`))
			w.(http.Flusher).Flush()
		},
	}
	for name, begin := range tests {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_ = r.ParseForm() // only then it notices that the client has gone
				begin(w, r)
				<-r.Context().Done()
			}))
			defer server.Close()
			client := newClient(t, Config{URL: server.URL})
			client.timeout = 50 * time.Millisecond
			wantAnswer(t, client, "Prometheus did not answer within 50ms")
		})
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	wantAnswer(t, newClient(t, Config{URL: server.URL}), noAnswer+"the connection failed")
}

func TestRedirectsDoNotLeave(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another server was asked: %s %s (token %q)", r.Method, r.URL, r.Header.Get("Authorization"))
	}))
	defer other.Close()
	server := httptest.NewTLSServer(http.RedirectHandler(other.URL+"/api/v1/query", http.StatusTemporaryRedirect))
	defer server.Close()
	client := newClient(t, Config{URL: server.URL, CAFile: caFile(t, server), TokenFile: write(t, "token", "secret")})
	wantAnswer(t, client, noAnswer+errLeaves.Error())
}

func TestRedirectOnTheServer(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/api/v1/query", http.RedirectHandler("/new/api/v1/query", http.StatusTemporaryRedirect))
	mux.Handle("/new/api/v1/query", says(200, success("scalar", `[1,"1"]`)))
	server := httptest.NewServer(mux)
	defer server.Close()
	wantAnswer(t, newClient(t, Config{URL: server.URL}), "")
}

// The file of a token changes before the token expires. The next query has the new one.
func TestTokenRotates(t *testing.T) {
	valid := "first"
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+valid {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		says(200, success("scalar", `[1,"1"]`))(w, r)
	}))
	defer server.Close()
	token := write(t, "token", "first\n")
	client := newClient(t, Config{URL: server.URL, CAFile: caFile(t, server), TokenFile: token})
	wantAnswer(t, client, "")
	valid = "second"
	wantAnswer(t, client, "401")
	rewrite(t, token, "second\n")
	wantAnswer(t, client, "")
	rewrite(t, token, "\n")
	wantAnswer(t, client, noAnswer+errEmptyToken.Error())
	if err := os.Remove(token); err != nil {
		t.Fatal(err)
	}
	wantReason(t, client, noAnswer+errNoToken.Error())
}

func TestCertificates(t *testing.T) {
	server := httptest.NewTLSServer(says(200, success("scalar", `[1,"1"]`)))
	defer server.Close()
	wantReason(t, newClient(t, Config{URL: server.URL}), noAnswer+"its certificate is not trusted")

	ca := write(t, "ca.crt", "none")
	client := newClient(t, Config{URL: server.URL, CAFile: ca})
	wantAnswer(t, client, noAnswer+errEmptyCA.Error())
	rewrite(t, ca, pemOf(server))
	wantAnswer(t, client, "")
	if err := os.Remove(ca); err != nil {
		t.Fatal(err)
	}
	wantReason(t, client, noAnswer+errNoCA.Error())
}

func pemOf(server *httptest.Server) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}

func caFile(t *testing.T, server *httptest.Server) string { return write(t, "ca.crt", pemOf(server)) }

// write returns a new file with that content.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	rewrite(t, path, content)
	return path
}

func rewrite(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
