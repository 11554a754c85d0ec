// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// endingTakes is how long a call that waits for its turn takes to end when it is told to.
const endingTakes = time.Minute

// callTimeout is the timeout of the endpoints.
const callTimeout = 10 * time.Second

// world is an Asker with a server that all endpoints lead to, in a bubble with a time of its own. When the test ends, no
// goroutine may be left in the bubble.
type world struct {
	*testing.T
	asker   *Asker
	objects *dynamicfake.FakeDynamicClient
	stop    func()

	mu        sync.Mutex
	nodeCount int
	// calls are the paths, and the queries, that the server was asked for, and when.
	calls []call
	// woken is how often each NodeProfile was woken.
	woken map[string]int
	// waits is how long an endpoint may not be called again.
	waits map[string]time.Duration
}

type call struct {
	what string
	at   time.Time
}

// inBubble runs a test with a world whose server answers with handler.
func inBubble(t *testing.T, handler http.HandlerFunc, test func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, handler)
		defer w.stop()
		test(w)
	})
}

func newWorld(t *testing.T, handler http.HandlerFunc) *world {
	w := &world{T: t, nodeCount: 3, woken: map[string]int{}, waits: map[string]time.Duration{}}
	w.objects = newObjects()
	listener := newPipes()
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: w.counted(handler)}}
	server.Start()
	client := newClient(listener)
	w.asker = New(Config{
		Endpoints: &endpoints{world: w, client: client}, Objects: w.objects, Clock: clock.RealClock{},
		NodeCount: w.nodes, Wake: w.wake,
	})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { w.asker.Run(ctx) })
	w.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		client.CloseIdleConnections()
		server.Close()
	})
	return w
}

func (w *world) counted(handler http.HandlerFunc) http.HandlerFunc {
	return func(out http.ResponseWriter, in *http.Request) {
		what := in.URL.RequestURI()
		if query := in.FormValue("query"); query != "" {
			what = query
		}
		w.mu.Lock()
		w.calls = append(w.calls, call{what, time.Now()})
		w.mu.Unlock()
		handler(out, in)
	}
}

func (w *world) nodes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.nodeCount
}

func (w *world) wake(nodeProfile string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.woken[nodeProfile]++
}

// sleep lets the time pass until everything that happens until then has happened.
func (w *world) sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// called returns what was called since the last time, and forgets it.
func (w *world) called() []call {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := w.calls
	w.calls = nil
	return calls
}

// wantCalls wants so many calls since the last time.
func (w *world) wantCalls(want int) {
	w.Helper()
	if got := w.called(); len(got) != want {
		w.Errorf("%d calls %v, want %d", len(got), got, want)
	}
}

// wantWoken wants the NodeProfile to have been woken so often since the last time.
func (w *world) wantWoken(nodeProfile string, want int) {
	w.Helper()
	if got := w.wakes(nodeProfile); got != want {
		w.Errorf("%s was woken %d times, want %d", nodeProfile, got, want)
	}
}

// wakes returns how often the NodeProfile was woken since the last time.
func (w *world) wakes(nodeProfile string) int {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	times := w.woken[nodeProfile]
	w.woken[nodeProfile] = 0
	return times
}

// want does as the engine: it takes the answers, and says that all the checks matter.
func (w *world) want(facts evaluation.Facts) evaluation.Facts {
	facts.Answers = w.asker.Answers(facts)
	var names []string
	for _, check := range facts.Profile.Spec.Checks {
		names = append(names, check.Name)
	}
	w.asker.Want(facts, names)
	return facts
}

// answer wants a check of the name "c" answered, and returns the first answer.
func (w *world) answer(check v1beta1.ProfileCheck) evaluation.Answer {
	w.Helper()
	facts := factsOf("n1", check)
	w.want(facts)
	w.sleep(callTimeout + time.Second)
	return w.known(facts)
}

// known returns the answer to the check "c" that is known.
func (w *world) known(facts evaluation.Facts) evaluation.Answer {
	return w.asker.Answers(facts)["c"]
}

// wantAnswer wants a result, and a message that has these words.
func wantAnswer(t *testing.T, got evaluation.Answer, wantResult evaluation.Result, wantMessage string) {
	t.Helper()
	if got.Result != wantResult || !strings.Contains(got.Message, wantMessage) {
		t.Errorf("%q: %q, want %q with %q", got.Result, got.Message, wantResult, wantMessage)
	}
	if strings.Contains(got.Message, secret) || strings.Contains(got.Message, "example.com") {
		t.Errorf("the message tells what is secret: %q", got.Message)
	}
}

// factsOf are those of a profile with the checks, of which the first has the name "c", on a node.
func factsOf(node string, checks ...v1beta1.ProfileCheck) evaluation.Facts {
	for i := range checks {
		checks[i].Name = strings.Repeat("c", i+1)
	}
	return evaluation.Facts{
		Profile:     &v1beta1.MaintenanceProfile{Spec: v1beta1.MaintenanceProfileSpec{Checks: checks}},
		NodeProfile: &v1beta1.NodeProfile{ObjectMeta: metav1.ObjectMeta{Name: node + ".p"}, Spec: v1beta1.NodeProfileSpec{NodeName: node}},
		Node:        &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}},
	}
}

func prometheusCheck(query, expression string) v1beta1.ProfileCheck {
	return v1beta1.ProfileCheck{Prometheus: &v1beta1.PrometheusCheck{Endpoint: "prometheus", Query: query, Expression: expression}}
}

func httpCheck(path, expression string) v1beta1.ProfileCheck {
	return v1beta1.ProfileCheck{HTTP: &v1beta1.HTTPCheck{Endpoint: "http", Path: path, Expression: expression}}
}

// secret is in the URL of the endpoints.
const secret = "s3cret"

// endpoints gives clients as the package that knows Secrets does. The name of an endpoint is its kind, and may be followed
// by "-" and more; "gone" does not exist.
type endpoints struct {
	*world
	client *http.Client
}

func (e *endpoints) HTTP(_ context.Context, name string) (*endpoint.HTTP, error) {
	if name == "gone" {
		return nil, &endpoint.Error{Endpoint: name, Reason: "there is no such endpoint"}
	}
	kind, _, _ := strings.Cut(name, "-")
	base := &url.URL{Scheme: "http", Host: "example.com", Path: "/" + secret}
	return &endpoint.HTTP{Kind: endpoint.Kind(kind), Base: base, Client: e.client}, nil
}

func (e *endpoints) SMTP(context.Context, string) (*endpoint.SMTP, error) {
	return nil, errors.New("no check sends mails")
}

func (e *endpoints) Wait(ctx context.Context, name string) error {
	e.mu.Lock()
	wait := e.waits[name]
	e.mu.Unlock()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		time.Sleep(endingTakes)
		return ctx.Err()
	}
}

// closed are the errors of a call whose connection was closed, which depend on how far the call had come.
var closed = regexp.MustCompile(`^(EOF|unexpected EOF)$|closed pipe|server closed idle connection`)

func (e *endpoints) Clean(err error) error {
	var about *url.Error
	switch isCall := errors.As(err, &about); {
	case isCall && about.Timeout():
		err = errors.New("it did not answer in time")
	case isCall && closed.MatchString(about.Err.Error()):
		err = errors.New("it closed the connection")
	case isCall:
		err = about.Err
	}
	return errors.New(strings.ReplaceAll(err.Error(), secret, "***"))
}

// newClient returns a client with the bounds that clients of endpoints have.
func newClient(listener *pipes) *http.Client {
	return &http.Client{
		Timeout:       callTimeout,
		Transport:     bounded{&http.Transport{DialContext: listener.dial}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type bounded struct{ *http.Transport }

func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.Transport.RoundTrip(request)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, v1beta1.MaxAnswerBytes)
	}
	return response, err
}

// pipes is a network in memory, so that the time of a bubble goes on while nobody sends anything.
type pipes struct {
	dialed chan net.Conn
	closed chan struct{}
	close  func()
}

func newPipes() *pipes {
	p := &pipes{dialed: make(chan net.Conn), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.dialed:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.close()
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.dialed <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// says answers with a status and a body.
func says(status int, body string) http.HandlerFunc {
	return func(out http.ResponseWriter, _ *http.Request) {
		out.WriteHeader(status)
		_, _ = io.WriteString(out, body)
	}
}

// vector is an answer of Prometheus with these values.
func vector(values ...string) string {
	var elements []string
	for i, value := range values {
		elements = append(elements, fmt.Sprintf(`{"metric":{"job":"%d"},"value":[1700000000.1,%q]}`, i, value))
	}
	return result("vector", "["+strings.Join(elements, ",")+"]")
}

func result(kind, data string) string {
	return fmt.Sprintf(`{"status":"success","data":{"resultType":%q,"result":%s}}`, kind, data)
}

// newObjects returns a cluster with these objects.
func newObjects(objects ...runtime.Object) *dynamicfake.FakeDynamicClient {
	return dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), listKinds(), objects...)
}
