// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leases

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// A hold that waits for a policy takes no lease. One that waits for its lease keeps its place in the policy.
func TestLeaseBesideAPolicy(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 2)
	pool.Policy(t, "one", env.AtMost("1"))
	steal(t, pool, pool.Nodes[0])
	first, second := pool.Hold("first", pool.Nodes[0]), pool.Hold("second", pool.Nodes[1])
	first.Spec.Stage, second.Spec.Stage = v1beta1.StageCordon, v1beta1.StageCordon
	pool.Create(t, first)
	pool.WaitForHold(t, first.Name, "it is admitted, and waits for the lease", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.Admission != nil && nm.Status.Admission.AdmittedTime != nil && nm.Status.Phase != v1beta1.PhaseSucceeded
	})
	pool.Create(t, second)
	pool.WaitForHold(t, second.Name, "it waits for the policy", env.WaitsFor(v1beta1.AdmissionQueued))
	if found := lease(t, pool, namespace, "node-"+pool.Nodes[1]); found != nil {
		t.Errorf("a node that waits has a lease: %+v", found.Spec)
	}
	free(t, pool, pool.Nodes[0])
	cordoned := func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.Phase == v1beta1.PhaseSucceeded }
	pool.WaitForHold(t, first.Name, "it goes when its lease is free", cordoned)
	pool.Delete(t, first.Name)
	pool.WaitForHold(t, second.Name, "it goes when there is room", cordoned)
}
