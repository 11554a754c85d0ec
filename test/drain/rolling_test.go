// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// rolling is a workload that leaves its node pod by pod, so that a drain lasts.
func (p *pool) rolling(pods int) *localcluster.Workload {
	return p.workload().
		Deployment("web", pods, p.Selector(), localcluster.ReadyDelay(400*time.Millisecond), localcluster.TerminationDelay(100*time.Millisecond)).
		Budget("web", localcluster.MaxUnavailable("1"))
}

// waitForEvictions waits until so many of the pool's pods were deleted.
func (p *pool) waitForEvictions(t *testing.T, count int) {
	t.Helper()
	env.Eventually(t, fmt.Sprintf("%d evictions", count), func(context.Context) string {
		if got := p.pods.deleted(); got < count {
			return fmt.Sprintf("only %d pods were deleted", got)
		}
		return ""
	})
}

// waitForRoom waits until a budget would let a pod go.
func (p *pool) waitForRoom(t *testing.T, budget string) {
	t.Helper()
	env.Eventually(t, "room in budget "+budget, func(ctx context.Context) string {
		b, err := p.Kube.PolicyV1().PodDisruptionBudgets(p.Name).Get(ctx, budget, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if b.Status.DisruptionsAllowed < 1 {
			return fmt.Sprintf("status %+v", b.Status)
		}
		return ""
	})
}

// patchedAt is the time when a hold was last patched by somebody.
func (p *pool) patchedAt(t *testing.T, hold string) time.Time {
	t.Helper()
	return p.lastRequest(t, "patch", hold)
}

// lastRequest is the time when the last such request for a hold was answered.
func (p *pool) lastRequest(t *testing.T, verb, hold string) time.Time {
	t.Helper()
	found := p.audit(t, func(event *auditv1.Event) bool {
		ref := event.ObjectRef
		return ref != nil && ref.Resource == "nodemaintenances" && ref.Name == hold && event.Verb == verb
	})
	if len(found) == 0 {
		t.Fatalf("nobody asked to %s NodeMaintenance %s", verb, hold)
	}
	return found[len(found)-1].StageTimestamp.Time
}

// wantNoEvictionsAfter checks that evictions ended soon after an instant.
func (p *pool) wantNoEvictionsAfter(t *testing.T, instant time.Time, within time.Duration) {
	t.Helper()
	var late []string
	for _, e := range p.evictions(t) {
		if after := e.asked.Sub(instant); after > within {
			late = append(late, fmt.Sprintf("%s after %s", e.pod, after))
		}
	}
	if len(late) > 0 {
		t.Errorf("evictions went on longer than %s: %s", within, strings.Join(late, ", "))
	}
}
