// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// nodeActs counts how often each node became something. kube-apiserver tells of each change, whatever becomes of our
// server.
type nodeActs struct {
	mu     sync.Mutex
	is     map[string]bool
	became map[string]int
}

// followNodes counts until the test's end.
func (p *pool) followNodes(t *testing.T) *nodeActs {
	t.Helper()
	nodes := p.WatchNodes(t)
	acts := &nodeActs{is: map[string]bool{}, became: map[string]int{}}
	var watching sync.WaitGroup
	watching.Go(func() {
		for event := range nodes.ResultChan() {
			if node, isNode := event.Object.(*corev1.Node); isNode && event.Type != watch.Deleted {
				acts.see(node)
			}
		}
	})
	t.Cleanup(func() {
		nodes.Stop()
		watching.Wait()
	})
	return acts
}

func (a *nodeActs) see(node *corev1.Node) {
	_, marked := node.Labels["marked"]
	a.mu.Lock()
	defer a.mu.Unlock()
	for what, is := range map[string]bool{"cordoned": node.Spec.Unschedulable, "marked": marked} {
		key := node.Name + " " + what
		if is && !a.is[key] {
			a.became[key]++
		}
		a.is[key] = is
	}
}

// wantOnce checks that each node became each of these once. It waits for what the watch has not shown yet.
func (a *nodeActs) wantOnce(t *testing.T, nodes []string, what ...string) {
	t.Helper()
	want := map[string]int{}
	for _, node := range nodes {
		for _, one := range what {
			want[node+" "+one] = 1
		}
	}
	env.Eventually(t, "how often nodes were touched (-want +got)", func(context.Context) string {
		a.mu.Lock()
		defer a.mu.Unlock()
		return cmp.Diff(want, a.became)
	})
}

// sendTakes is how long sending a notification may take. What the server was killed with while it sent it, is sent again
// later than that.
const sendTakes = 3 * time.Minute

// calls are the times when the calls of triggers and of notifiers came, by their ids.
type calls struct {
	mu         sync.Mutex
	call, tell map[string][]time.Time
}

func (c *calls) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids, id := map[string]map[string][]time.Time{"/call": c.call, "/tell": c.tell}[r.URL.Path], r.Header.Get("webhook-id")
	ids[id] = append(ids[id], time.Now())
}

// answerCalls creates the endpoints POOL-call and POOL-tell, which answer that all is done.
func (p *pool) answerCalls(t *testing.T) *calls {
	t.Helper()
	c := &calls{call: map[string][]time.Time{}, tell: map[string][]time.Time{}}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	for _, name := range []string{"call", "tell"} {
		p.createEndpoint(t, &v1beta1.MaintenanceEndpoint{
			ObjectMeta: metav1.ObjectMeta{Name: p.Name + "-" + name},
			Spec:       v1beta1.MaintenanceEndpointSpec{Webhook: &v1beta1.URLEndpoint{URL: server.URL + "/" + name}},
		})
	}
	return c
}

// wantOnce checks that there was one call of a trigger for each node: another try has the same id. Each notification came
// once: where the server was killed while it was sent, it is sent again, but only after minutes.
func (c *calls) wantOnce(t *testing.T, nodes int) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	t.Logf("%d notifications, and tries of each call: %v", len(c.tell), c.call)
	if len(c.call) != nodes {
		t.Errorf("%d calls, want one for each node: %v", len(c.call), c.call)
	}
	for id, came := range c.tell {
		for i := range came[1:] {
			if pause := came[i+1].Sub(came[i]); pause < sendTakes {
				t.Errorf("notification %s came once more after %s", id, pause)
			}
		}
	}
	if len(c.tell) == 0 || len(c.tell) > nodes {
		t.Errorf("%d notifications came, want one for each node at most", len(c.tell))
	}
}

// rebootJobs creates the CronJob reboot, whose Jobs succeed, and lets the server run them.
func (p *pool) rebootJobs(t *testing.T) {
	t.Helper()
	p.allowJobs(t)
	p.cronJob(t, "reboot", map[string]string{localcluster.CompleteAfterAnnotation: "200ms"})
}

// allowJobs lets the server run Jobs in the pool's namespace.
func (p *pool) allowJobs(t *testing.T) {
	t.Helper()
	p.Kubectl().Must(t, "", "label", "namespace", p.Name, "pod-security.kubernetes.io/enforce=privileged")
	if err := p.Cluster.ApplyChart(t.Context(), ownValues(p.Name)...); err != nil {
		t.Fatal(err)
	}
}

// wantJobs checks that so many Jobs have run, each with one pod.
func (p *pool) wantJobs(t *testing.T, want int) {
	t.Helper()
	env.Eventually(t, "each Job has run once", func(ctx context.Context) string {
		jobs, err := p.Kube.BatchV1().Jobs(p.Name).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err.Error()
		}
		var wrong []string
		for i := range jobs.Items {
			if status := jobs.Items[i].Status; status.Succeeded != 1 || status.Failed != 0 {
				wrong = append(wrong, fmt.Sprintf("%s: %d succeeded, %d failed", jobs.Items[i].Name, status.Succeeded, status.Failed))
			}
		}
		if len(jobs.Items) != want {
			wrong = append(wrong, fmt.Sprintf("there are %d, want %d", len(jobs.Items), want))
		}
		return strings.Join(wrong, ", ")
	})
}
