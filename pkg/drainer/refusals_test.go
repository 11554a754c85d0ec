// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// mostBackoff is the longest time between two tries of one pod.
const mostBackoff = time.Minute

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
