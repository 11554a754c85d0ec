// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestDrainTaintsChangeBetweenTwoStarts has a server start with --drain-taints, without, and with it
// again: what it set goes with the hold, and what an admin set stays.
func TestDrainTaintsChangeBetweenTwoStarts(t *testing.T) {
	const taint = "example.com/maintenance=yes:NoSchedule"
	ours := v1beta1.DrainTaint + ":NoSchedule"
	flag := localcluster.ServerOptions{ExtraArgs: []string{"--drain-taints=" + taint}}
	pool := env.Current(t).NewPool(t, 2)
	set, had := pool.Nodes[0], pool.Nodes[1]

	terminate(t)
	flagged := replaceServer(t, flag)
	removed := pool.Create(t, pool.Hold("removed", set))
	pool.WaitForHold(t, removed.Name, "node drained", env.Drained)
	wantTaints(t, pool, set, ours, taint)
	wantRecorded(t, pool, removed.Name, "", ours+","+taint)
	if _, err := flagged.Terminate(t.Context()); err != nil {
		t.Fatalf("could not stop the server: %v", err)
	}

	start(t)
	pool.Kubectl().Must(t, "", "taint", "node", had, taint)
	added := pool.Create(t, pool.Hold("added", had))
	pool.WaitForHold(t, added.Name, "node drained", env.Drained)
	wantRecorded(t, pool, added.Name, "", ours)
	pool.Delete(t, removed.Name)
	wantTaints(t, pool, set)
	wantCleanNode(t, pool, set)
	terminate(t)

	replaceServer(t, flag)
	wantRecorded(t, pool, added.Name, taint, ours)
	wantTaints(t, pool, had, ours, taint)
	pool.Delete(t, added.Name)
	wantTaints(t, pool, had, taint)
}

// wantTaints waits until kubectl shows just these taints on the node, in any order, besides the one
// that follows spec.unschedulable.
func wantTaints(t *testing.T, pool *env.Pool, node string, want ...string) {
	t.Helper()
	const each = `{range .spec.taints[*]}{.key}{"="}{.value}{":"}{.effect}{"\n"}{end}`
	env.Eventually(t, fmt.Sprintf("node %s has the taints %v", node, want), func(context.Context) string {
		got := map[string]bool{}
		for line := range strings.Lines(pool.Kubectl().Must(t, "", "get", "node", node, "-o", "jsonpath="+each)) {
			got[strings.Replace(strings.TrimSpace(line), "=:", ":", 1)] = true
		}
		delete(got, "node.kubernetes.io/unschedulable:NoSchedule")
		for _, taint := range want {
			if !got[taint] {
				return fmt.Sprintf("it lacks %s: %v", taint, got)
			}
		}
		if len(got) != len(want) {
			return fmt.Sprintf("it has %v", got)
		}
		return ""
	})
}

// wantRecorded waits until kubectl shows these lists of taints in the hold's status.nodeBefore.
func wantRecorded(t *testing.T, pool *env.Pool, hold, wantTaints, wantAdded string) {
	t.Helper()
	list := func(field string) string {
		path := fmt.Sprintf("jsonpath={range .status.nodeBefore.%s[*]}{@}{\",\"}{end}", field)
		return strings.TrimSuffix(pool.Kubectl().Must(t, "", "get", "nodemaintenance", hold, "-o", path), ",")
	}
	env.Eventually(t, "the taints of the node are recorded", func(context.Context) string {
		taints, added := list("taints"), list("addedTaints")
		if taints != wantTaints || added != wantAdded {
			return fmt.Sprintf("nodeBefore has taints %q and addedTaints %q", taints, added)
		}
		return ""
	})
}
