// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The pods are kept by a budget until both holds are there, so that both count
// for each of them.
func TestLongestGracePeriodOfSeveralHoldsCounts(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.Run(t, p.workload().
		Pod("both", localcluster.OnNode(node), localcluster.Label(localcluster.AppLabel, "kept"), localcluster.Label("slow", "yes")).
		Pod("one", localcluster.OnNode(node), localcluster.Label(localcluster.AppLabel, "kept")).
		Budget("kept", localcluster.MinAvailable("2")))
	short := p.Hold("short", node)
	short.Spec.Drain.GracePeriodSeconds = new(int64(40))
	long := p.Hold("long", node)
	long.Spec.Drain.GracePeriodSeconds = new(int64(90))
	long.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"slow": "yes"}}
	cordon := p.Hold("cordon", node)
	cordon.Spec.Stage = v1beta1.StageCordon
	cordon.Spec.Drain.GracePeriodSeconds = new(int64(1000)) // evicts nothing, so it does not count
	for _, hold := range []*v1beta1.NodeMaintenance{short, long, cordon} {
		p.Create(t, hold)
	}
	for _, hold := range []*v1beta1.NodeMaintenance{short, long} {
		p.WaitForHold(t, hold.Name, "hold blocked", func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.BlockedPodCount > 0 })
	}

	p.deleteBudget(t, "kept")
	for _, hold := range []*v1beta1.NodeMaintenance{short, long} {
		p.WaitForHold(t, hold.Name, "pods gone", succeeded)
	}
	evicted := p.evicted(t)
	for pod, want := range map[string]int64{"both": 90, "one": 40} {
		e := evicted[pod]
		if e.grace == nil || *e.grace != want {
			t.Errorf("pod %s was evicted with %s, want a grace period of %d s", pod, e.body.DeleteOptions, want)
		}
		env.Eventually(t, "grace period of pod "+pod, func(context.Context) string {
			if seen, _ := p.pods.seen(e.uid); seen.grace != want {
				return fmt.Sprintf("it had %d s to stop, want %d", seen.grace, want)
			}
			return ""
		})
	}
}
