// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"fmt"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// Ten nodes of about ten pods each are emptied at once, and given back at once.
func TestManyNodesAtOnce(t *testing.T) {
	t.Parallel()
	const drained, apps, replicas = 10, 10, 10
	p := newPool(t, drained+3)
	for _, node := range p.Nodes[drained:] {
		p.setUnschedulable(t, node, true)
	}
	workload := p.workload().DaemonSet("agent", p.Selector())
	watched, least := []string{}, map[string]int{}
	for i := range apps {
		app := fmt.Sprintf("app-%d", i)
		workload.Deployment(app, replicas, p.Selector(), localcluster.ReadyDelay(300*time.Millisecond), localcluster.TerminationDelay(300*time.Millisecond))
		if i%2 == 0 {
			workload.Budget(app, localcluster.MaxUnavailable("2"))
			watched, least[app] = append(watched, app), replicas-2
		}
	}
	p.Run(t, workload)
	for _, node := range p.Nodes[drained:] {
		p.setUnschedulable(t, node, false)
	}
	budgets := p.watchBudgets(t, watched...)

	for i, node := range p.Nodes[:drained] {
		p.Create(t, p.Hold(fmt.Sprint(i), node))
	}
	for i, node := range p.Nodes[:drained] {
		hold := p.WaitForHold(t, fmt.Sprintf("%s-%d", p.Name, i), "node drained", succeeded)
		if got := condition(hold, v1beta1.ConditionDrained).Reason; got != v1beta1.ReasonNodeEmpty {
			t.Errorf("Drained has the reason %s, want %s", got, v1beta1.ReasonNodeEmpty)
		}
		p.wantApps(t, node, map[string]int{"agent": 1})
	}
	budgets.check(t, p, least)
	if evicted := len(p.evicted(t)); evicted < apps*replicas {
		t.Errorf("%d pods were evicted, want all %d", evicted, apps*replicas)
	}

	p.Kubectl().Must(t, "", p.deleteArgs(drained)...)
	for _, node := range p.Nodes[:drained] {
		p.waitForHolds(t, node, 0)
		p.wantGivenBack(t, node)
	}
}

// deleteArgs has kubectl delete the first holds of the pool, and wait for it.
func (p *pool) deleteArgs(count int) []string {
	args := []string{"delete", "nodemaintenance", "--timeout=" + env.Timeout.String()}
	for i := range count {
		args = append(args, fmt.Sprintf("%s-%d", p.Name, i))
	}
	return args
}
