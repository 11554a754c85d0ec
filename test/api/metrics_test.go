// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"net/http"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// /metrics is served on the server's own port to those who may read it, and has
// what the drainer did.
func TestMetrics(t *testing.T) {
	t.Parallel()
	e := env.Current(t)
	pool := e.NewPool(t, 1)
	scraper := "scraper-of-" + pool.Name
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: scraper},
		Rules:      []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}},
	}
	if _, err := e.Kube.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	grant(t, e, role.Name, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: scraper},
		authorizationv1.SubjectAccessReviewSpec{User: scraper, NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: "/metrics", Verb: "get"}})

	pool.Run(t, pool.Cluster.Workload(pool.Name).Deployment("web", 2, pool.Selector()))
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)

	newCaller(t, direct(t, userConfig(t, "no-"+scraper))).get(t, "/metrics").want(t, http.StatusForbidden)
	caller := newCaller(t, direct(t, userConfig(t, scraper)))
	caller.get(t, collection).want(t, http.StatusForbidden)
	env.Eventually(t, "the drain in the metrics", func(context.Context) string {
		text := string(caller.get(t, "/metrics").want(t, http.StatusOK).body)
		for _, want := range []string{
			`maintenance_drainer_evictions_total{outcome="evicted"} `,
			"# TYPE maintenance_drainer_nodes_draining gauge",
			"# TYPE maintenance_drainer_nodes_left_behind gauge",
			"# TYPE maintenance_drainer_drain_duration_seconds histogram",
			"maintenance_store_used_bytes ",
			"maintenance_store_quota_bytes 2.147483648e+09",
			"# TYPE apiserver_request_total counter",
			`workqueue_depth{name="drainer"`,
		} {
			if !strings.Contains(text, want) {
				return "no " + want
			}
		}
		return ""
	})
}
