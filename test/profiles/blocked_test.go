// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	typed "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
)

// kept is the pod that cannot leave its node, and its budget.
const kept = "kept"

// block puts a pod on the node that a budget keeps there.
func (p *pool) block(t *testing.T, node string) {
	t.Helper()
	p.Run(t, p.Cluster.Workload(p.Name).
		Pod(kept, localcluster.OnNode(node), localcluster.Label(localcluster.AppLabel, kept)).
		Budget(kept, localcluster.MinAvailable("1")))
}

// unblock lets the pod go.
func (p *pool) unblock(t *testing.T) {
	t.Helper()
	if err := p.Kube.PolicyV1().PodDisruptionBudgets(p.Name).Delete(t.Context(), kept, metav1.DeleteOptions{}); err != nil {
		t.Fatalf("could not delete the budget: %v", err)
	}
}

func (p *pool) profiles() typed.MaintenanceProfileInterface {
	return p.Maintenance.MaintenanceV1beta1().MaintenanceProfiles()
}

func (p *pool) nodeProfiles() typed.NodeProfileInterface {
	return p.Maintenance.MaintenanceV1beta1().NodeProfiles()
}
