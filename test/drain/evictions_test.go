// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// serverUser is who our server is to the cluster.
const serverUser = "system:serviceaccount:" + localcluster.ServerNamespace + ":" + localcluster.ServerName

// eviction is one request to evict a pod, from kube-apiserver's audit log.
type eviction struct {
	pod string
	uid types.UID
	// grace is nil where the pod keeps its own grace period.
	grace          *int64
	code           int32
	byBudget       bool
	answer         string
	asked, settled time.Time
	body           policyv1.Eviction
}

func (e eviction) accepted() bool { return e.code == http.StatusCreated || e.code == http.StatusOK }

// evictions are our server's requests to evict pods of the pool's namespace, in
// the order in which they were answered.
func (p *pool) evictions(t *testing.T) []eviction {
	t.Helper()
	found := p.audit(t, func(event *auditv1.Event) bool {
		return localcluster.IsEviction(event) && event.ObjectRef.Namespace == p.Name && event.User.Username == serverUser
	})
	evictions := make([]eviction, 0, len(found))
	for i := range found {
		evictions = append(evictions, newEviction(t, &found[i]))
	}
	return evictions
}

func (p *pool) audit(t *testing.T, keep func(*auditv1.Event) bool) []auditv1.Event {
	t.Helper()
	found, err := p.Cluster.AuditEvents(p.Name, keep)
	if err != nil {
		t.Fatalf("could not read the audit log: %v", err)
	}
	return found
}

func newEviction(t *testing.T, event *auditv1.Event) eviction {
	t.Helper()
	e := eviction{
		pod: event.ObjectRef.Name, code: event.ResponseStatus.Code,
		asked: event.RequestReceivedTimestamp.Time, settled: event.StageTimestamp.Time,
	}
	if err := json.Unmarshal(event.RequestObject.Raw, &e.body); err != nil {
		t.Fatalf("could not read the body of an eviction: %v", err)
	}
	if options := e.body.DeleteOptions; options != nil {
		e.grace = options.GracePeriodSeconds
		if options.Preconditions != nil && options.Preconditions.UID != nil {
			e.uid = *options.Preconditions.UID
		}
	}
	if details := event.ResponseStatus.Details; details != nil {
		for _, cause := range details.Causes {
			e.byBudget = e.byBudget || cause.Type == policyv1.DisruptionBudgetCause
			e.answer += cause.Message
		}
	}
	return e
}

// checkEvictions reports what no drain must ever do.
func (p *pool) checkEvictions(t *testing.T) {
	t.Helper()
	accepted := map[types.UID]int{}
	for _, e := range p.evictions(t) {
		if e.body.APIVersion != "policy/v1" || e.body.Kind != "Eviction" {
			t.Errorf("the eviction of pod %s is a %s %s, want policy/v1 Eviction", e.pod, e.body.APIVersion, e.body.Kind)
		}
		pod, known := p.pods.seen(e.uid)
		switch {
		case e.uid == "":
			t.Errorf("the eviction of pod %s has no UID precondition", e.pod)
		case !known || pod.name != e.pod:
			t.Errorf("the eviction of pod %s has the UID of another pod: %q", e.pod, pod.name)
		}
		switch {
		case e.accepted():
			accepted[e.uid]++
		case e.code >= http.StatusInternalServerError:
			t.Errorf("the eviction of pod %s was answered by %d", e.pod, e.code)
		case e.byBudget && !p.contended && !p.unforeseeable(t, e):
			t.Errorf("the eviction of pod %s, which had started %s before, was posted although its budget had no room: %s",
				e.pod, e.asked.Sub(pod.started), e.answer)
			t.Log(strings.Join(p.serverLog(t, e.uid), "\n"))
		}
	}
	for uid, count := range accepted {
		if pod, _ := p.pods.seen(uid); count > 1 {
			t.Errorf("pod %s was evicted %d times", pod.name, count)
		}
	}
}

// unforeseeable says whether a budget refused a pod that had begun to run in the last moment, and that
// the server had found not to run. A pod that does not run yet is evicted past its budget, which the API
// server judges when it gets to the request. The server asks about such a pod just before, but answer and
// request take their time on a busy machine, and no precondition of an eviction is looked at before the
// budget.
func (p *pool) unforeseeable(t *testing.T, e eviction) bool {
	t.Helper()
	pod, _ := p.pods.seen(e.uid)
	if asked := p.askedAbout(t, e); !e.byBudget || asked.IsZero() || pod.started.Before(asked) {
		return false
	}
	return slices.ContainsFunc(p.serverLog(t, e.uid), func(line string) bool {
		return strings.Contains(line, "exempt=true") && strings.Contains(line, `outcome="disruption_budget"`)
	})
}

// askedAbout is the time when the server last asked about the pod of an eviction before it posted that; zero: never.
func (p *pool) askedAbout(t *testing.T, e eviction) (last time.Time) {
	t.Helper()
	for _, event := range p.audit(t, func(event *auditv1.Event) bool {
		ref := event.ObjectRef
		return event.Verb == "get" && ref != nil && ref.Resource == "pods" && ref.Subresource == "" && ref.Namespace == p.Name &&
			ref.Name == e.pod && event.User.Username == serverUser
	}) {
		if at := event.RequestReceivedTimestamp.Time; at.Before(e.asked) && at.After(last) {
			last = at
		}
	}
	return last
}

// serverLog is what the server wrote about a pod.
func (p *pool) serverLog(t *testing.T, uid types.UID) []string {
	t.Helper()
	log, err := os.ReadFile(p.Server.LogPath())
	if err != nil {
		t.Fatalf("could not read the server's log: %v", err)
	}
	lines := strings.Split(string(log), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return !strings.Contains(line, string(uid)) })
}

// evicted are the pods that our server evicted, by name.
func (p *pool) evicted(t *testing.T) map[string]eviction {
	t.Helper()
	evicted := map[string]eviction{}
	for _, e := range p.evictions(t) {
		if e.accepted() {
			evicted[e.pod] = e
		}
	}
	return evicted
}
