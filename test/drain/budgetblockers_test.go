// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestBudgetsThatBlock(t *testing.T) {
	t.Parallel()
	budget := v1beta1.DrainBlocker{Reason: v1beta1.BlockerDisruptionBudget, Object: "PodDisruptionBudget/NS/db"}
	permanent := budget
	permanent.Permanent = true
	tests := map[string]obstacle{
		"no room": {
			start: func(t *testing.T, p *pool) {
				p.Run(t, p.trio().Budget("db", localcluster.MinAvailable("2")))
				p.unready(t, "db-2", true)
				p.waitForHealthy(t, "db", 2)
			},
			pod: "db-1", want: budget, column: "PodDisruptionBudget NS/db (1 pod)",
			words: []string{"budget NS/db needs 2 healthy pods and has 2: the pod is evicted when another one becomes healthy"},
			lift:  func(t *testing.T, p *pool) { p.unready(t, "db-2", false) },
		},
		"too few healthy": {
			start: func(t *testing.T, p *pool) {
				p.Run(t, p.trio().Budget("db", localcluster.MinAvailable("2")))
				p.unready(t, "db-2", true)
				p.unready(t, "db-3", true)
				p.waitForHealthy(t, "db", 1)
			},
			pod: "db-1", want: budget, column: "PodDisruptionBudget NS/db (1 pod)",
			words: []string{"budget NS/db needs 2 healthy pods and has 1: the pod is evicted when 2 more become healthy"},
			lift: func(t *testing.T, p *pool) {
				p.unready(t, "db-2", false)
				p.unready(t, "db-3", false)
			},
		},
		"never any room": {
			start: func(t *testing.T, p *pool) { p.Run(t, p.trio().Budget("db", localcluster.MinAvailable("3"))) },
			pod:   "db-1", want: permanent, column: "PodDisruptionBudget NS/db (1 pod)",
			words: []string{"budget NS/db needs 3 healthy pods", "no more than 3 are expected", "add replicas"},
			event: "no more than 3 are expected",
			lift:  func(t *testing.T, p *pool) { p.patchBudget(t, "db", `{"spec":{"minAvailable":2}}`) },
		},
		"no room, until the budget leaves the pod alone": {
			start: func(t *testing.T, p *pool) { p.Run(t, p.trio().Budget("db", localcluster.MinAvailable("3"))) },
			pod:   "db-1", want: budget, column: "PodDisruptionBudget NS/db (1 pod)",
			words: []string{"budget NS/db needs 3 healthy pods, and no more than 3 are expected"},
			lift:  func(t *testing.T, p *pool) { p.patchPod(t, "db-1", `{"metadata":{"labels":{"app":"other"}}}`) },
		},
		"pods that do not count": {
			start: func(t *testing.T, p *pool) {
				p.Run(t, p.trio())
				p.apply(t, p.workload().Budget("db", localcluster.MaxUnavailable("1")))
			},
			pod: "db-1", want: permanent, column: "PodDisruptionBudget NS/db (1 pod)",
			words: []string{"budget NS/db counts no pods", "minAvailable"},
			lift:  func(t *testing.T, p *pool) { p.deleteBudget(t, "db") },
		},
		"cannot be evaluated": {
			start: func(t *testing.T, p *pool) {
				p.Run(t, p.trio())
				p.own(t, "db-1") // by something that cannot be scaled
				p.apply(t, p.workload().Budget("db", localcluster.MaxUnavailable("1")))
			},
			pod: "db-1", want: permanent, column: "PodDisruptionBudget NS/db (1 pod)",
			words: []string{"budget NS/db cannot be evaluated", "scale subresource"},
			lift:  func(t *testing.T, p *pool) { p.deleteBudget(t, "db") },
		},
		"two budgets": {
			start: func(t *testing.T, p *pool) {
				p.Run(t, p.trio())
				// The disruption controller brings but one of them up to date when a pod changes.
				p.Run(t, p.workload().Budget("db", localcluster.MinAvailable("1")).
					Budget("db", localcluster.MinAvailable("1"), localcluster.BudgetName("db-too")))
			},
			pod: "db-1",
			want: v1beta1.DrainBlocker{
				Reason: v1beta1.BlockerMultipleDisruptionBudgets, Permanent: true,
				Object: "PodDisruptionBudget/NS/db,PodDisruptionBudget/NS/db-too",
			},
			column: "PodDisruptionBudget NS/db, PodDisruptionBudget NS/db-too (1 pod)",
			words:  []string{"2 budgets", "db, db-too"},
			lift:   func(t *testing.T, p *pool) { p.deleteBudget(t, "db-too") },
		},
		"unhealthy pod of an unhealthy budget": {
			start: func(t *testing.T, p *pool) {
				p.Run(t, p.trio().Budget("db", localcluster.MinAvailable("2"), localcluster.UnhealthyPods(policyv1.IfHealthyBudget)))
				p.unready(t, "db-1", true)
				p.unready(t, "db-2", true)
				p.waitForHealthy(t, "db", 1)
			},
			pod: "db-1", want: budget, column: "PodDisruptionBudget NS/db (1 pod)",
			words: []string{
				"budget NS/db needs 2 healthy pods and has 1: the pod is evicted when another one becomes healthy",
				"unhealthyPodEvictionPolicy: AlwaysAllow",
			},
			lift: func(t *testing.T, p *pool) { p.unready(t, "db-2", false) },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.check(t)
		})
	}
}

func TestUnhealthyPodGoesWhereItsBudgetAlwaysAllows(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2)
	p.Run(t, p.trio().Budget("db", localcluster.MinAvailable("2"), localcluster.UnhealthyPods(policyv1.AlwaysAllow)))
	p.unready(t, "db-1", true)
	p.unready(t, "db-2", true)
	p.waitForHealthy(t, "db", 1)
	hold := p.drain(t, "a", p.Nodes[0])
	for _, version := range p.statuses.of(t, hold) {
		if version.Status.BlockedPodCount > 0 {
			t.Errorf("the pod was said to be blocked: %v", version.Status.Blockers)
		}
	}
}

// own makes a ConfigMap the controller of a pod.
func (p *pool) own(t *testing.T, pod string) {
	t.Helper()
	owner, err := p.Kube.CoreV1().ConfigMaps(p.Name).
		Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("could not create an owner: %v", err)
	}
	p.patchPod(t, pod, fmt.Sprintf(`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":%q,"uid":%q,"controller":true}]}}`,
		owner.Name, owner.UID))
}

// trio is three bare pods of one app, the first of them on the first node.
func (p *pool) trio() *localcluster.Workload {
	app := localcluster.Label(localcluster.AppLabel, "db")
	return p.workload().
		Pod("db-1", app, localcluster.OnNode(p.Nodes[0])).
		Pod("db-2", app, localcluster.OnNode(p.Nodes[1])).
		Pod("db-3", app, localcluster.OnNode(p.Nodes[1]))
}

// waitForHealthy waits until a budget has counted so many healthy pods.
func (p *pool) waitForHealthy(t *testing.T, budget string, healthy int32) {
	t.Helper()
	env.Eventually(t, fmt.Sprintf("%d healthy pods of budget %s", healthy, budget), func(ctx context.Context) string {
		b, err := p.Kube.PolicyV1().PodDisruptionBudgets(p.Name).Get(ctx, budget, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if b.Status.CurrentHealthy != healthy {
			return fmt.Sprintf("status %+v", b.Status)
		}
		return ""
	})
}
