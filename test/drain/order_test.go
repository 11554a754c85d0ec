// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"slices"
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// A budget of one pod at a time keeps both nodes from draining until a pod
// elsewhere is ready. Then the node with fewer pods is emptied first, although the
// other one has been draining longer.
func TestNodesAreEmptiedOneAfterAnother(t *testing.T) {
	t.Parallel()
	p := newPool(t, 3)
	large, small, spare := p.Nodes[0], p.Nodes[1], p.Nodes[2]
	options := []localcluster.PodOption{
		p.Selector(), localcluster.Label("budget", "one"),
		localcluster.ReadyDelay(300 * time.Millisecond), localcluster.TerminationDelay(300 * time.Millisecond),
	}
	p.runOn(t, large, p.workload().Deployment("large", 4, options...))
	p.runOn(t, small, p.workload().Deployment("small", 2, options...))
	p.runOn(t, spare, p.workload().StatefulSet("spare", 1, options...))
	p.Run(t, p.workload().Add(&policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "one"},
		Spec: policyv1.PodDisruptionBudgetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"budget": "one"}}, MaxUnavailable: new(intstr.FromInt32(1)),
		},
	}))
	p.unready(t, "spare-0", true)
	p.waitForHealthy(t, "one", 6)
	for _, node := range []string{large, small} {
		hold := p.Create(t, p.Hold(node, node))
		p.WaitForHold(t, hold.Name, "drain blocked", func(nm *v1beta1.NodeMaintenance) bool {
			return nm.Status.BlockedPodCount > 0 && nm.Status.BlockedPodCount == nm.Status.EvictionPods
		})
	}

	p.unready(t, "spare-0", false)
	for _, node := range []string{small, large} {
		p.WaitForHold(t, p.Hold(node, node).Name, "node drained", succeeded)
	}
	var order []string
	for _, e := range p.evictions(t) {
		pod, _ := p.pods.seen(e.uid)
		order = append(order, pod.node)
	}
	if want := []string{small, small, large, large, large, large}; !slices.Equal(order, want) {
		t.Errorf("pods were evicted from the nodes %v, want %v", order, want)
	}
}

// A budget with room for many does not make them go one by one.
func TestWideBudgetHasSeveralEvictionsUnderWay(t *testing.T) {
	t.Parallel()
	const pods = 20
	p := newPool(t, 2)
	node := p.Nodes[0]
	p.runOn(t, node, p.workload().Deployment("web", pods, p.Selector()).Budget("web", localcluster.MaxUnavailable("100%")))
	p.drain(t, "a", node)
	evictions := p.evictions(t)
	atOnce := 0
	for _, e := range evictions {
		underWay := 0
		for _, other := range evictions {
			if !other.asked.After(e.asked) && e.asked.Before(other.settled) {
				underWay++
			}
		}
		atOnce = max(atOnce, underWay)
	}
	if len(evictions) != pods || atOnce < 2 {
		t.Errorf("of %d evictions at most %d were under way at once, want %d, and several", len(evictions), atOnce, pods)
	}
}
