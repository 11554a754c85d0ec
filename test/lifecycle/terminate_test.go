// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestTerminateIdle(t *testing.T) {
	keepServer(t)
	terminate(t)
	start(t)
}

// TestTerminateMidDrain stops the server in order while evicted pods terminate and
// others wait for their budget. The next one goes on from there.
func TestTerminateMidDrain(t *testing.T) {
	pool := env.Current(t).NewPool(t, 2)
	node := pool.Nodes[0]
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Deployment("slow", 4, pool.Selector(), localcluster.TerminationDelay(6*time.Second)).
		Deployment("guarded", 4, pool.Selector()).Budget("guarded", localcluster.MaxUnavailable("1")))
	pods := append(podsOf(t, pool, node, "slow"), podsOf(t, pool, node, "guarded")...)
	keepServer(t)
	hold := pool.Create(t, pool.Hold("a", node))
	before := pool.WaitForHold(t, hold.Name, "the drain is under way", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.StartTime != nil && nm.Status.BlockedPodCount > 0
	})
	terminate(t)
	start(t)
	after := pool.WaitForHold(t, hold.Name, "node drained after the restart", env.Drained)
	wantSameDrain(t, before, after)
	wantEvictedOnce(t, pool, pods)
	pool.Delete(t, hold.Name)
	wantClean(t, pool)
}

// TestTerminateDuringWatch stops the server while somebody watches through the
// aggregator: the watch ends, and does not hold the server up.
func TestTerminateDuringWatch(t *testing.T) {
	pool := env.Current(t).NewPool(t, 1)
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	keepServer(t)

	path := filepath.Join(t.TempDir(), "watch")
	output, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	cmd := pool.Kubectl().Command(t.Context(), "get", "nm", "-w")
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // how it ends is up to kubectl
	}()
	env.Eventually(t, "kubectl watches", func(context.Context) string {
		content, err := os.ReadFile(path)
		if err != nil {
			return err.Error()
		}
		if !strings.Contains(string(content), hold.Name) {
			return string(content)
		}
		return ""
	})

	terminate(t)
	select {
	case <-ended:
	case <-time.After(promised):
		t.Error("kubectl still watches a server that is gone")
	}
	start(t)
	pool.WaitForHold(t, hold.Name, "the hold is as it was", env.Drained)
	pool.Delete(t, hold.Name)
	wantClean(t, pool)
}
