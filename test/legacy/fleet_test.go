// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// A NodeMaintenance of an old group waits for a policy like all others.
func TestPolicyOfTheFleet(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		policy := u.Policy(t, "none", env.AtMost("0"))
		name := u.apply(t, u.Nodes[0])
		u.WaitForHold(t, name, "it waits", env.WaitsFor(v1beta1.AdmissionQueued))
		if node := u.Node(t, u.Nodes[0]); node.Spec.Unschedulable {
			t.Error("the node of a hold that waits is cordoned")
		}
		u.Kubectl().Must(t, "", "patch", "mpol", policy, "--type=merge", "-p", `{"spec":{"limits":{"maxConcurrent":1}}}`)
		u.waitFor(t, name, "node drained", succeeded)
	})
}
