// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package balance

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// patience is how long a test waits for what must come: longer than readyFor, for which a replica whose probes are late
// stays ready.
const patience = time.Minute

// standIn is a replica that answers with its own address, and is ready if it is told so.
type standIn struct {
	*httptest.Server
	ready atomic.Bool
}

func newStandIn(t *testing.T, ready bool) *standIn {
	t.Helper()
	s := &standIn{}
	s.ready.Store(ready)
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/readyz" && !s.ready.Load() {
			http.Error(w, ending+" failed", http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, req.Context().Value(http.LocalAddrContextKey).(interface{ String() string }).String())
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *standIn) address() string { return strings.TrimPrefix(s.URL, "https://") }

func startBalancer(t *testing.T, replicas ...*standIn) *Balancer {
	t.Helper()
	var addresses []string
	for _, r := range replicas {
		addresses = append(addresses, r.address())
	}
	b, err := Start("127.0.0.1:0", addresses...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// client sends each request on a connection of its own, or all on one.
func client(t *testing.T, oneConnection bool) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: !oneConnection}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}

// get returns the address of the replica that answered; "" for an error.
func get(c *http.Client, address string) string {
	response, err := c.Get("https://" + address)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return ""
	}
	return string(body)
}

// wantAnswers waits until only these replicas answer on new connections; "" stands for an error.
func wantAnswers(t *testing.T, b *Balancer, want ...string) {
	t.Helper()
	c := client(t, false)
	var got map[string]bool
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		got = map[string]bool{}
		for range 4 {
			got[get(c, b.Address())] = true
		}
		for _, address := range want {
			if !got[address] {
				return false, nil
			}
		}
		return len(got) == len(want), nil
	})
	if err != nil {
		t.Errorf("got answers from %v, want %q", got, want)
	}
}

func TestBalancerConnectsToReadyReplicas(t *testing.T) {
	one, two := newStandIn(t, true), newStandIn(t, false)
	b := startBalancer(t, one, two)
	wantAnswers(t, b, one.address())
	two.ready.Store(true)
	wantAnswers(t, b, one.address(), two.address())
	one.ready.Store(false)
	wantAnswers(t, b, two.address())
	two.ready.Store(false)
	wantAnswers(t, b, "")
}

// A replica that ends in order answers what comes on connections that it has.
func TestBalancerKeepsConnections(t *testing.T) {
	one, two := newStandIn(t, true), newStandIn(t, false)
	b := startBalancer(t, one, two)
	wantAnswers(t, b, one.address())
	c := client(t, true)
	if got := get(c, b.Address()); got != one.address() {
		t.Fatalf("got an answer from %q, want one from %q", got, one.address())
	}
	one.ready.Store(false)
	two.ready.Store(true)
	wantAnswers(t, b, two.address())
	if got := get(c, b.Address()); got != one.address() {
		t.Errorf("got an answer from %q on the connection to %q", got, one.address())
	}
	one.CloseClientConnections() // as its death does
	if got := get(c, b.Address()); got != two.address() {
		t.Errorf("got an answer from %q, want one from the replica that is left, %q", got, two.address())
	}
}

func TestBalancerCutsReplicaOff(t *testing.T) {
	one, two := newStandIn(t, true), newStandIn(t, false)
	b := startBalancer(t, one, two)
	wantAnswers(t, b, one.address())
	two.ready.Store(true)
	wantAnswers(t, b, one.address(), two.address())
	c := client(t, true)
	var before string
	for before != one.address() {
		c.CloseIdleConnections()
		before = get(c, b.Address())
	}
	if open := b.Connections(one.address()); open == 0 {
		t.Error("no connection is open to a replica that has answered")
	}
	b.CutOff(one.address())
	if got := get(c, b.Address()); got != two.address() {
		t.Errorf("got an answer from %q, want one from %q", got, two.address())
	}
	wantAnswers(t, b, two.address())
	if open := b.Connections(one.address()); open != 0 {
		t.Errorf("%d connections are open to a replica that is cut off", open)
	}
	b.Reach(one.address())
	wantAnswers(t, b, one.address(), two.address())
}

// answer is what a replica says, or why nothing comes from it.
type answer struct {
	code int
	body string
	err  error
}

// answers answers each request with the next of these.
type answers []answer

// RoundTrip implements http.RoundTripper.
func (a *answers) RoundTrip(*http.Request) (*http.Response, error) {
	next := (*a)[0]
	*a = (*a)[1:]
	if next.err != nil {
		return nil, next.err
	}
	return &http.Response{StatusCode: next.code, Body: io.NopCloser(strings.NewReader(next.body))}, nil
}

// A replica that is late is ready as long as it was ready lately, and did not end since.
func TestReplicaThatIsLate(t *testing.T) {
	var (
		ready   = answer{code: http.StatusOK}
		notWell = answer{code: http.StatusInternalServerError, body: "[-]etcd failed"}
		ends    = answer{code: http.StatusInternalServerError, body: ending + " failed"}
		refuses = answer{err: syscall.ECONNREFUSED}
		late    = answer{err: context.DeadlineExceeded}
	)
	tests := map[string]struct {
		meet answers
		want bool
	}{
		"never ready": {meet: answers{late}},
		"ready":       {meet: answers{ready, late}, want: true},
		"not well":    {meet: answers{ready, notWell, late}, want: true},
		"ending":      {meet: answers{ready, ends, late}},
		"refuses":     {meet: answers{ready, refuses, late}},
		"back again":  {meet: answers{ready, refuses, ready, late}, want: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := newReplica("127.0.0.1:0")
			r.client.Transport = &test.meet
			var got bool
			for len(test.meet) > 0 {
				got = r.isReady(t.Context())
			}
			if got != test.want {
				t.Errorf("ready: %t, want %t", got, test.want)
			}
		})
	}
}
