// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	// rolloutDelay is how long the server of these tests goes on serving after SIGTERM.
	rolloutDelay = 8 * time.Second
	// rolloutGrace is how long requests that are in flight then may take.
	rolloutGrace = 8 * time.Second
	// rolloutClients is how many clients ask it all the time, each in one of two ways.
	rolloutClients = 20
	holdsPath      = "/apis/maintenance.medik8s.io/v1beta1/nodemaintenances"
)

// TestTerminateInRollout stops a server as a rollout does: it is not ready at once, goes on serving for a
// while, and ends what is in flight. Clients have begun before, and others come meanwhile.
func TestTerminateInRollout(t *testing.T) {
	pool := env.Current(t).NewPool(t, 3)
	hook := newPatientWebhook(t, pool)
	server := replaceServer(t, localcluster.ServerOptions{ExtraArgs: []string{
		"--shutdown-delay-duration=" + rolloutDelay.String(), "--shutdown-request-grace-period=" + rolloutGrace.String(), "--disable-http2-serving",
	}})
	drained := pool.Create(t, pool.Hold("drained", pool.Nodes[0]))
	pool.WaitForHold(t, drained.Name, "node drained", env.Drained)
	seen := watchHolds(t, pool)
	slow := hook.create(t, pool, pool.Nodes[2])

	clients := askAllTheTime(t, pool, server)
	ended := make(chan error, 1)
	began := time.Now()
	go func() {
		exit, err := server.Terminate(context.WithoutCancel(t.Context()))
		switch longest := rolloutDelay + rolloutGrace + promised; {
		case err == nil && exit.Code != 0:
			err = fmt.Errorf("the exit code is %d", exit.Code)
		case err == nil && exit.Duration > longest:
			err = fmt.Errorf("it took %s, want %s at most", exit.Duration, longest)
		}
		ended <- err
	}()

	env.Eventually(t, "the server is not ready", func(ctx context.Context) string {
		if _, err := get(ctx, t, server, "/readyz"); err == nil {
			return "it is ready"
		}
		return ""
	})
	if took := time.Since(began); took > rolloutDelay/2 {
		t.Errorf("the server was ready for %s after SIGTERM", took)
	}
	late := pool.Create(t, pool.Hold("late", pool.Nodes[1]))
	clients.wantNoFailure(t, began.Add(rolloutDelay))
	if pool.Node(t, pool.Nodes[1]).Spec.Unschedulable {
		t.Error("the server leads after SIGTERM: it has cordoned a node")
	}

	wantRefusedWithRetry(t, server)
	hook.answer()
	if err := <-slow; err != nil {
		t.Errorf("the create that was in flight failed: %v", err)
	}
	seen.wantEnd(t, late.Name)
	if err := <-ended; err != nil {
		t.Errorf("the server did not end as it should: %v", err)
	}
	t.Logf("the server ended %s after SIGTERM", time.Since(began).Round(time.Millisecond))

	start(t)
	pool.WaitForHold(t, late.Name, "node drained by the next server", env.Drained)
	for _, name := range []string{drained.Name, late.Name, pool.Name + "-slow"} {
		pool.Delete(t, name)
	}
	wantClean(t, pool)
}

// fresh returns a client that makes a new connection to the server itself for each request.
func fresh(t *testing.T, server *localcluster.Server) (client *http.Client, url string) {
	t.Helper()
	config := env.Current(t).Cluster.Config()
	config.CAData, config.CAFile, config.Insecure = nil, "", true
	tls, err := rest.TLSConfigFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: tls, DisableKeepAlives: true}},
		fmt.Sprintf("https://127.0.0.1:%d%s", server.Port(), holdsPath)
}

// ask returns the status of the answer, and when it says to try again.
func ask(ctx context.Context, client *http.Client, url string) (status int, retryAfter string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	return answer.StatusCode, answer.Header.Get("Retry-After"), answer.Body.Close()
}

// rolloutAnswers are the answers to requests of clients that ask all the time.
type rolloutAnswers struct {
	running sync.WaitGroup
	stop    context.CancelFunc

	lock     sync.Mutex
	failures []rolloutFailure
	answered map[string]int
}

// rolloutFailure is a request that failed, and when.
type rolloutFailure struct {
	what         string
	at           time.Time
	err          error
	toldToRepeat bool
}

// askAllTheTime has half of the clients dry-run creates through the aggregator, and the others list by
// connections of their own. Nothing is tried again.
func askAllTheTime(t *testing.T, pool *env.Pool, server *localcluster.Server) *rolloutAnswers {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	answers := &rolloutAnswers{stop: stop, answered: map[string]int{}}
	t.Cleanup(func() {
		stop()
		answers.running.Wait()
	})
	config := pool.Cluster.Config()
	config.QPS = -1
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	direct, url := fresh(t, server)
	hold := pool.Hold("dry", pool.Nodes[2])
	for range rolloutClients / 2 {
		answers.begin(ctx, "create", func() error {
			return client.MaintenanceV1beta1().RESTClient().Post().Resource("nodemaintenances").
				Param("dryRun", metav1.DryRunAll).Body(hold.DeepCopy()).MaxRetries(0).Do(context.WithoutCancel(ctx)).Error()
		})
		answers.begin(ctx, "list", func() error {
			status, _, err := ask(context.WithoutCancel(ctx), direct, url)
			switch {
			case err != nil || status == http.StatusOK:
				return err
			case status == http.StatusTooManyRequests:
				return apierrors.NewTooManyRequestsError("the list is refused")
			default:
				return fmt.Errorf("status %d", status)
			}
		})
	}
	return answers
}

func (a *rolloutAnswers) begin(ctx context.Context, what string, request func() error) {
	a.running.Go(func() {
		for ctx.Err() == nil {
			err := request()
			a.lock.Lock()
			a.answered[what]++
			if err != nil {
				a.failures = append(a.failures, rolloutFailure{what, time.Now(), err, apierrors.IsTooManyRequests(err)})
			}
			a.lock.Unlock()
		}
	})
}

// wantNoFailure ends the requests shortly before that time, when the delay is over, and checks that there were some of each
// kind and that none failed. Those that came to the server after all when the delay was over were told to come again.
func (a *rolloutAnswers) wantNoFailure(t *testing.T, over time.Time) {
	t.Helper()
	select {
	case <-time.After(time.Until(over) - 300*time.Millisecond):
	case <-t.Context().Done():
	}
	a.stop()
	a.running.Wait()
	t.Logf("answered: %v", a.answered)
	for _, failed := range a.failures {
		if !failed.toldToRepeat || failed.at.Before(over) {
			t.Errorf("%s failed %s before the delay was over: %v", failed.what, over.Sub(failed.at), failed.err)
		}
	}
	if a.answered["create"] < rolloutClients || a.answered["list"] < rolloutClients {
		t.Errorf("too few requests to tell anything: %v", a.answered)
	}
}

// wantRefusedWithRetry waits until the delay is over, and checks that clients are then told to try again.
func wantRefusedWithRetry(t *testing.T, server *localcluster.Server) {
	t.Helper()
	client, url := fresh(t, server)
	env.Eventually(t, "new requests are refused", func(ctx context.Context) string {
		status, retryAfter, err := ask(ctx, client, url)
		switch {
		case err != nil:
			t.Fatalf("a new request was not answered while another is in flight: %v", err)
		case status == http.StatusOK:
			return "they are answered"
		case status != http.StatusTooManyRequests || retryAfter == "":
			t.Errorf("status %d, Retry-After %q, want 429 and a time", status, retryAfter)
		}
		return ""
	})
}

// watched is what a watch through the aggregator has shown.
type watched struct {
	names chan string
	wrong chan string
}

func watchHolds(t *testing.T, pool *env.Pool) watched {
	t.Helper()
	w, err := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances().Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	seen := watched{names: make(chan string, 1000), wrong: make(chan string, 1)}
	go func() {
		defer close(seen.names)
		for event := range w.ResultChan() {
			hold, isHold := event.Object.(*v1beta1.NodeMaintenance)
			if event.Type == watch.Error || !isHold {
				seen.wrong <- fmt.Sprintf("%s %+v", event.Type, event.Object)
				return
			}
			seen.names <- hold.Name
		}
	}()
	return seen
}

// wantEnd waits until the watch ends, and checks that it ended without an error and showed what came last.
func (w watched) wantEnd(t *testing.T, last string) {
	t.Helper()
	var shown []string
	for name := range w.names {
		shown = append(shown, name)
	}
	select {
	case wrong := <-w.wrong:
		t.Errorf("the watch ended with %s", wrong)
	default:
	}
	if !slices.Contains(shown, last) {
		t.Errorf("the watch showed %v, want %s too, which was created in the delay", shown, last)
	}
}
