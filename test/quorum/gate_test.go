// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// Both holds exist already when their nodes are asked for: one goes, and the other goes on when the first is back, also
// after a restart of the server.
func TestHoldsThatStartAtOnce(t *testing.T) {
	pool := newMembers(t, 3)
	holds := []string{pool.Name + "-0", pool.Name + "-1"}
	must(t, pool, "0", pool.Nodes[0], "stage: Idle")
	must(t, pool, "1", pool.Nodes[1], "stage: Idle")
	pool.Kubectl().Must(t, "", "patch", "nm", holds[0], "--type=merge", "-p", `{"spec":{"stage":"Drain"}}`)
	pool.WaitForHold(t, holds[0], "the first goes", succeeded)
	pool.Kubectl().Must(t, "", "patch", "nm", holds[1], "--type=merge", "-p", `{"spec":{"stage":"Drain"}}`)
	out := waitsFor("2 of 3 members must stay in service, and without it 1 would (out: " + pool.Nodes[0] + ", held by \"" + holds[0] + "\" of ")
	pool.WaitForHold(t, holds[1], "the second waits", out)
	restart(t)
	pool.WaitForHold(t, holds[1], "the second waits after a restart", out)
	if pool.Node(t, pool.Nodes[1]).Spec.Unschedulable {
		t.Error("the second is cordoned, and waits")
	}
	pool.Delete(t, holds[0])
	pool.WaitForHold(t, holds[1], "the second goes", succeeded)
}

// A member that fails after the create has the node wait until it is back, or until the quorum is overridden.
func TestMemberThatFailsInBetween(t *testing.T) {
	pool := newMembers(t, 3)
	for i, goOn := range map[int]string{0: "back", 1: "override"} {
		t.Run(goOn, func(t *testing.T) {
			suffix, hold := goOn, pool.Name+"-"+goOn
			must(t, pool, suffix, pool.Nodes[i], "stage: Idle")
			back := fail(t, pool, pool.Nodes[2])
			pool.Kubectl().Must(t, "", "patch", "nm", hold, "--type=merge", "-p", `{"spec":{"stage":"Drain"}}`)
			pool.WaitForHold(t, hold, "the node waits", waitsFor("(out: "+pool.Nodes[2]+", not ready)"))
			if goOn == "override" {
				pool.Kubectl().Must(t, "", "patch", "nm", hold, "--type=merge", "-p", `{"spec":{"overrideQuorum":true}}`)
				pool.WaitForHold(t, hold, "the node is taken", succeeded)
			}
			back()
			pool.WaitForHold(t, hold, "the node is taken", succeeded)
			// It keeps its place.
			back = fail(t, pool, pool.Nodes[2])
			pool.Kubectl().Must(t, "", "wait", "--for=condition=Drained", "nm/"+hold, "--timeout="+env.Timeout.String())
			back()
			pool.Delete(t, hold)
		})
	}
}
