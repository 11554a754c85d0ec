// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"fmt"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/test/cloudevents/machineplayer"
	"github.com/medik8s/maintenance-apiserver/test/document"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// retired is the ID of the instance that docs/cloud-events.md retires.
const retired = "i-0e9b1b6a0f6a4c7d3"

// docs/cloud-events.md can be followed. Each of its nodes has a machine of the MachineSet web.
func (o *own) document(t *testing.T) {
	t.Parallel()
	p := poolOf(t, o.Env, 3)
	p.webOf(t, clusterAPI())
	p.Run(t, p.Cluster.Workload(p.Name).Deployment("web", 3, p.Selector()))
	p.removeAfter(t, "chg-1041", "chg-1042", "chg-1043", "chg-1044", "chg-1045", "retirement")
	t.Cleanup(func() { p.revoke(t, p.Name+"-events") })
	dana, err := p.Cluster.UserKubeconfig("dana")
	if err != nil {
		t.Fatal(err)
	}
	session := document.NewSession(t, p.Pool)
	session.Mask(`worker-\d-[0-9a-f]{32}`) // the name of a hold
	session.Mask(`web-[a-z0-9]{5}\b`)      // the name of a new machine
	// Events are written beside the work, one after another, and the document asks for them once.
	for command, last := range map[string]struct{ event, reason string }{
		"kubectl get sev chg-1041 -o jsonpath='{.status.outcome}":            {"chg-1041", decision.ReasonEventCompleted},
		"kubectl wait --for=jsonpath='{.status.phase}'=Drained sev/chg-1044": {"chg-1044", decision.ReasonStartedInSpiteOfPolicies},
		"kubectl get sev retirement -o jsonpath='{.status.outcome}":          {"retirement", decision.ReasonEventCompleted},
	} {
		session.After(command, func(t *testing.T) { p.WaitForEvent(t, "ScheduledEvent", last.event, last.reason) })
	}
	session.Check(t, "cloud-events.md", map[string]string{"admin": p.Cluster.Kubeconfig(), "dana": dana})
}

// webOf makes a set of machines that are the nodes of the pool.
func (p *pool) webOf(t *testing.T, of family) {
	t.Helper()
	p.ensureNamespace(t)
	set, err := p.objects(of.sets).Create(t.Context(), of.api.Owner("MachineSet", "web", int64(len(p.Nodes))), strict)
	if err != nil {
		t.Fatal(err)
	}
	for i, node := range p.Nodes {
		name := fmt.Sprintf("web-%d", i+1)
		id := p.Name + "-" + name
		if i == 2 {
			id = retired
		}
		p.addMachine(t, of, name, node, id, set)
	}
	machineplayer.Start(t, p.Cluster, p.Name, of.api, machineplayer.Labels(map[string]string{env.PoolLabel: p.Name}))
}
