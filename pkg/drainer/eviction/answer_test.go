// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

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

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

func TestJudge(t *testing.T) {
	pods := corev1.Resource("pods")
	tests := map[string]struct {
		err            error
		wantOutcome    Outcome
		wantObject     string
		wantMessage    string
		wantRetryAfter time.Duration
		wantUnknown    bool
	}{
		"accepted":  {wantOutcome: Evicted},
		"not found": {err: apierrors.NewNotFound(pods, "p"), wantOutcome: Gone},
		"another UID": {
			err:         apierrors.NewConflict(pods, "p", errors.New("the UID in the precondition does not match")),
			wantOutcome: Gone, wantUnknown: true,
		},
		"budget": {
			err: drainertest.WithCause(apierrors.NewTooManyRequests("Cannot evict pod", 0),
				policyv1.DisruptionBudgetCause, "needs 3 healthy pods and has 3 currently"),
			wantOutcome: DisruptionBudget, wantMessage: "needs 3 healthy pods and has 3 currently",
		},
		"budget still processed": {
			err: drainertest.WithCause(apierrors.NewTooManyRequests("Cannot evict pod", 10),
				policyv1.DisruptionBudgetCause, ""),
			wantOutcome: DisruptionBudget, wantMessage: "Cannot evict pod", wantRetryAfter: 10 * time.Second,
		},
		"webhook with 429": {
			err: drainertest.WebhookRefusal(http.StatusTooManyRequests), wantOutcome: AdmissionWebhook,
			wantObject: "webhook/evict.kubevirt.io",
		},
		"webhook with 403": {
			err: drainertest.WebhookRefusal(http.StatusForbidden), wantOutcome: AdmissionWebhook,
			wantObject: "webhook/evict.kubevirt.io",
		},
		"webhook with 409": {
			err: drainertest.WebhookRefusal(http.StatusConflict), wantOutcome: AdmissionWebhook,
			wantObject: "webhook/evict.kubevirt.io",
		},
		"throttled for an hour": {
			err: apierrors.NewTooManyRequests("too many requests", 3600), wantOutcome: Throttled,
			wantRetryAfter: mostBackoff,
		},
		"throttled": {
			err: apierrors.NewTooManyRequests("too many requests", 1), wantOutcome: Throttled,
			wantRetryAfter: time.Second,
		},
		"namespace terminating": {
			err: drainertest.WithCause(apierrors.NewForbidden(pods, "p", nil),
				corev1.NamespaceTerminatingCause, ""),
			wantOutcome: NamespaceTerminating,
		},
		"forbidden": {err: apierrors.NewForbidden(pods, "p", nil), wantOutcome: Failed},
		"internal error": {
			err: apierrors.NewInternalError(errors.New("x")), wantOutcome: Failed, wantUnknown: true,
		},
		"connection broke": {err: errors.New("connection reset"), wantOutcome: Failed, wantUnknown: true},
		"timed out":        {err: context.DeadlineExceeded, wantOutcome: Failed, wantUnknown: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := newAnswer(test.err)
			message := test.wantMessage
			if message == "" {
				message = got.Message // it is not what the case is about
			}
			want := Answer{
				Outcome: test.wantOutcome, Object: test.wantObject, Message: message,
				retryAfter: test.wantRetryAfter, unknown: test.wantUnknown,
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(Answer{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The API server asks for patience; the client must not sleep in the dispatcher's stead, and ask again.
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
	v := newAnswer(NewClient(client).Evict(t.Context(), drainertest.Pod{Name: "web-1"}.Object(), ptr.To(int64(7))))
	if len(requests) != 1 {
		t.Errorf("%d requests, want one", len(requests))
	}
	if path := requests[0].URL.Path; path != "/api/v1/namespaces/default/pods/web-1/eviction" {
		t.Errorf("posted to %s", path)
	}
	if v.Outcome != Throttled || v.retryAfter != 10*time.Second {
		t.Errorf("judged %+v, want throttled for 10 s", v)
	}
}
