// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"context"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	// drained is how many nodes are drained at the same time.
	drained = 10
	// spare is how many nodes are left for the pods.
	spare = 2
	// guarded is how many pods are behind one budget.
	guarded = 12
	// beginning is how many pods are evicted when something befalls a replica. Many more must be left then.
	beginning = 4
	// longestMoment is how long a drain goes on after that at most.
	longestMoment = time.Second
	// drainTimeout is longer than the two minutes for which Kubernetes counts an eviction against a budget that it
	// did not carry out, as one may be whose sender was killed.
	drainTimeout = 2*time.Minute + env.Timeout
)

// drains are those of ten nodes at once, whose pods have budgets that make it take some ten seconds.
type drains struct {
	*env.Pool
	group *group
	holds []string
	*witness
}

// newDrains makes nodes and pods, and drains nothing yet.
func (g *group) newDrains(t *testing.T) *drains {
	t.Helper()
	d := &drains{Pool: g.NewPool(t, drained+spare), group: g}
	d.Run(t, g.Cluster.Workload(d.Name).
		Deployment("one", guarded, d.Selector()).Budget("one", localcluster.MaxUnavailable("2")).
		Deployment("two", guarded, d.Selector()).Budget("two", localcluster.MaxUnavailable("2")).
		Deployment("slow", 6, d.Selector(), localcluster.TerminationDelay(6*time.Second)))
	d.witness = g.newWitness(t, d.Name)
	return d
}

// begin has all nodes but the spare ones drained, and returns at some moment in the midst of it.
func (d *drains) begin(t *testing.T) {
	t.Helper()
	for i := range drained {
		d.holds = append(d.holds, d.Create(t, d.Hold(fmt.Sprint(i), d.Nodes[i])).Name)
	}
	env.Eventually(t, "the drains are under way", func(context.Context) string {
		if evicted := len(d.Evictions(t)); evicted < beginning {
			return fmt.Sprintf("%d pods are evicted", evicted)
		}
		return ""
	})
	time.Sleep(time.Duration(d.group.random.Int64N(int64(longestMoment))))
}

// end waits until all nodes are drained, gives them back, and checks that all went well.
func (d *drains) end(t *testing.T) {
	t.Helper()
	for i, name := range d.holds {
		d.waitUntilDrained(t, name)
		if node := d.Node(t, d.Nodes[i]); !env.Cordoned(node) {
			t.Errorf("node %s is drained, and carries only %q", node.Name, env.MarksOn(node))
		}
		if left, err := d.PodsOn(t.Context(), d.Nodes[i]); err != nil || len(left) > 0 {
			t.Errorf("node %s is called drained, and has %d pods, %v", d.Nodes[i], len(left), err)
		}
	}
	for _, name := range d.holds {
		d.Delete(t, name)
	}
	d.WaitUntilClean(t)
	d.WantEvictedOnce(t, nil)
	d.check(t)
}

func (d *drains) waitUntilDrained(t *testing.T, name string) {
	t.Helper()
	holds := d.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	env.EventuallyWithin(t, drainTimeout, "node of hold "+name+" is drained", func(ctx context.Context) string {
		nm, err := holds.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if !env.Drained(nm) {
			return fmt.Sprintf("%d pods are left, blocked by %v", nm.Status.PendingPodCount, nm.Status.Blockers)
		}
		return ""
	})
}
