// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// A policy that lets two members go does not loosen the quorum, and the quorum does not loosen the policy.
func TestQuorumBesideAPolicy(t *testing.T) {
	pool := newMembers(t, 3)
	pool.Policy(t, "two", env.AtMost("2"))
	for i, suffix := range []string{"0", "1"} {
		must(t, pool, suffix, pool.Nodes[i], "stage: Idle")
		pool.Kubectl().Must(t, "", "patch", "nm", pool.Name+"-"+suffix, "--type=merge", "-p", `{"spec":{"stage":"Cordon"}}`)
		if i == 0 {
			pool.WaitForHold(t, pool.Name+"-0", "the first goes", succeeded)
		}
	}
	pool.WaitForHold(t, pool.Name+"-1", "the second waits for the quorum", waitsFor("2 of 3 members must stay in service"))

	pool.Policy(t, "one", env.AtMost("0"))
	pool.Delete(t, pool.Name+"-0")
	must(t, pool, "2", pool.Nodes[2], "stage: Idle")
	pool.WaitForHold(t, pool.Name+"-1", "what was admitted goes on", succeeded)
	pool.Delete(t, pool.Name+"-1")
	pool.Kubectl().Must(t, "", "patch", "nm", pool.Name+"-2", "--type=merge", "-p", `{"spec":{"stage":"Cordon"}}`)
	pool.WaitForHold(t, pool.Name+"-2", "the third waits for the policy", env.WaitsFor(v1beta1.AdmissionQueued))
}
