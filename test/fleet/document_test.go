// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/test/document"
)

// docs/policy.md can be followed.
func TestPolicyDocument(t *testing.T) {
	p := newPool(t, 5)
	for i, zone := range []string{"a", "a", "b"} {
		p.setZone(t, p.Nodes[i], zone)
	}
	p.Run(t, p.Cluster.Workload(p.Name).Deployment("web", 5, p.Selector()))
	t.Cleanup(func() { p.removePolicies(t, "web", "db", "batch") })
	dana, err := p.Cluster.UserKubeconfig("dana")
	if err != nil {
		t.Fatal(err)
	}
	document.NewSession(t, p.Pool).Check(t, "policy.md", map[string]string{"admin": p.Cluster.Kubeconfig(), "dana": dana})
}

// removePolicies removes what a walk that failed has left.
func (p *pool) removePolicies(t *testing.T, names ...string) {
	ctx := context.WithoutCancel(t.Context())
	for _, name := range names {
		err := p.Maintenance.MaintenanceV1beta1().MaintenancePolicies().Delete(ctx, name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			t.Error(err)
		}
	}
}
