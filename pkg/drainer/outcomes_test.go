// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

func TestJudge(t *testing.T) {
	pods := corev1.Resource("pods")
	tests := map[string]struct {
		err            error
		wantOutcome    outcome
		wantObject     string
		wantMessage    string
		wantRetryAfter time.Duration
		wantUnknown    bool
	}{
		"accepted":  {wantOutcome: outcomeEvicted},
		"not found": {err: apierrors.NewNotFound(pods, "p"), wantOutcome: outcomeGone},
		"another UID": {
			err:         apierrors.NewConflict(pods, "p", errors.New("the UID in the precondition does not match")),
			wantOutcome: outcomeGone, wantUnknown: true,
		},
		"budget": {
			err: drainertest.WithCause(apierrors.NewTooManyRequests("Cannot evict pod", 0),
				policyv1.DisruptionBudgetCause, "needs 3 healthy pods and has 3 currently"),
			wantOutcome: outcomeDisruptionBudget, wantMessage: "needs 3 healthy pods and has 3 currently",
		},
		"budget still processed": {
			err: drainertest.WithCause(apierrors.NewTooManyRequests("Cannot evict pod", 10),
				policyv1.DisruptionBudgetCause, ""),
			wantOutcome: outcomeDisruptionBudget, wantMessage: "Cannot evict pod", wantRetryAfter: 10 * time.Second,
		},
		"webhook with 429": {
			err: drainertest.WebhookRefusal(http.StatusTooManyRequests), wantOutcome: outcomeAdmissionWebhook,
			wantObject: "webhook/evict.kubevirt.io",
		},
		"webhook with 403": {
			err: drainertest.WebhookRefusal(http.StatusForbidden), wantOutcome: outcomeAdmissionWebhook,
			wantObject: "webhook/evict.kubevirt.io",
		},
		"webhook with 409": {
			err: drainertest.WebhookRefusal(http.StatusConflict), wantOutcome: outcomeAdmissionWebhook,
			wantObject: "webhook/evict.kubevirt.io",
		},
		"throttled for an hour": {
			err: apierrors.NewTooManyRequests("too many requests", 3600), wantOutcome: outcomeThrottled,
			wantRetryAfter: mostBackoff,
		},
		"throttled": {
			err: apierrors.NewTooManyRequests("too many requests", 1), wantOutcome: outcomeThrottled,
			wantRetryAfter: time.Second,
		},
		"namespace terminating": {
			err: drainertest.WithCause(apierrors.NewForbidden(pods, "p", nil),
				corev1.NamespaceTerminatingCause, ""),
			wantOutcome: outcomeNamespaceTerminating,
		},
		"forbidden": {err: apierrors.NewForbidden(pods, "p", nil), wantOutcome: outcomeFailed},
		"internal error": {
			err: apierrors.NewInternalError(errors.New("x")), wantOutcome: outcomeFailed, wantUnknown: true,
		},
		"connection broke": {err: errors.New("connection reset"), wantOutcome: outcomeFailed, wantUnknown: true},
		"timed out":        {err: context.DeadlineExceeded, wantOutcome: outcomeFailed, wantUnknown: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := judge(test.err)
			message := test.wantMessage
			if message == "" {
				message = got.message // it is not what the case is about
			}
			want := verdict{
				outcome: test.wantOutcome, object: test.wantObject, message: message,
				retryAfter: test.wantRetryAfter, unknown: test.wantUnknown,
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(verdict{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// One test through each outcome: what the holder sees, how often it is tried, and how it ends.
func TestRefusedEvictions(t *testing.T) {
	tests := map[string]struct {
		err        error
		wantReason v1beta1.BlockerReason
		wantObject string
		// wantTries are the requests within the first half minute.
		wantTries   int
		wantBlocked bool
	}{
		"unseen budget": {
			err: drainertest.WithCause(apierrors.NewTooManyRequests("Cannot evict pod", 0),
				policyv1.DisruptionBudgetCause, "The disruption budget web needs 3"),
			wantReason: v1beta1.BlockerDisruptionBudget, wantTries: 5, wantBlocked: true,
		},
		"webhook": {
			err: drainertest.WebhookRefusal(http.StatusTooManyRequests), wantReason: v1beta1.BlockerAdmissionWebhook,
			wantObject: "webhook/evict.kubevirt.io", wantTries: 5, wantBlocked: true,
		},
		"throttled": {err: apierrors.NewTooManyRequests("slow down", 20), wantTries: 2},
		"namespace terminating": {
			err: drainertest.WithCause(apierrors.NewForbidden(corev1.Resource("pods"), "web-1", nil),
				corev1.NamespaceTerminatingCause, ""),
			wantReason: v1beta1.BlockerNamespaceTerminating, wantObject: "Namespace/default", wantTries: 5,
			wantBlocked: true,
		},
		"internal error": {
			err: apierrors.NewInternalError(errors.New("boom")), wantReason: v1beta1.BlockerEvictionFailed,
			wantTries: 5, wantBlocked: true,
		},
		"gone": {err: apierrors.NewNotFound(corev1.Resource("pods"), "web-1"), wantTries: 5},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(t *testing.T) *cluster {
				c := newCluster(t, drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(),
					drainertest.Pod{Name: "web-2", App: "other"}.Object())
				c.RefuseEviction("web-1", test.err)
				return c
			}, func(c *cluster) {
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.wait(28 * time.Second) // after 30 s an accepted eviction without a deletion is told of
				c.wantEvictions(map[string]int{"web-1": test.wantTries, "web-2": 1})
				status := c.hold("a").Status
				if !test.wantBlocked {
					if len(status.Blockers) > 0 {
						t.Errorf("blockers %+v, want none", status.Blockers)
					}
				} else if len(status.Blockers) != 1 || status.Blockers[0].Reason != test.wantReason ||
					status.Blockers[0].Object != test.wantObject || status.Blockers[0].Pod != "default/web-1" {
					t.Errorf("blockers %+v, want %s", status.Blockers, test.wantReason)
				}
				if failed := test.wantReason == v1beta1.BlockerEvictionFailed; failed != (status.LastError != "") {
					t.Errorf("lastError %q", status.LastError)
				}
				c.RefuseEviction("web-1", nil)
				c.wait(mostBackoff)
				c.wantEvictions(map[string]int{"web-1": test.wantTries + 1, "web-2": 1})
				c.finish("web-1", "web-2")
				c.wantPhase("a", v1beta1.PhaseSucceeded)
				if status := c.hold("a").Status; status.LastError != "" || len(status.Blockers) > 0 {
					t.Errorf("success leaves %+v", status)
				}
			})
		})
	}
}

func TestChangedPodIsTriedAgainAtOnce(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object())
		c.RefuseEviction("web-1", drainertest.WebhookRefusal(http.StatusTooManyRequests))
		return c
	}, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(20 * time.Second) // tries at about 0, 1, 3, 7, 15 s; the next at 31 s
		c.wantEvictions(map[string]int{"web-1": 5})
		c.RefuseEviction("web-1", nil)
		c.changePod("web-1", func(pod *corev1.Pod) { pod.Labels["migrated"] = "yes" })
		c.settle()
		c.wantEvictions(map[string]int{"web-1": 6})
	})
}

// The API server asks for patience; the client must not sleep in the dispatcher's stead.
func TestEvictLeavesRetriesToTheCaller(t *testing.T) {
	var requests []*http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r)
		w.Header().Set("Retry-After", "10")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer server.Close()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	v := judge(apiEvicter{
		client: client,
	}.Evict(t.Context(), drainertest.Pod{Name: "web-1"}.Object(), ptr.To(int64(7))))
	if took := time.Since(began); took > 5*time.Second || len(requests) != 1 {
		t.Errorf("%d requests in %s, want one", len(requests), took)
	}
	if path := requests[0].URL.Path; path != "/api/v1/namespaces/default/pods/web-1/eviction" {
		t.Errorf("posted to %s", path)
	}
	if v.outcome != outcomeThrottled || v.retryAfter != 10*time.Second {
		t.Errorf("judged %+v, want throttled for 10 s", v)
	}
}
