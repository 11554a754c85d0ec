// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Two profiles whose checks pass at the same moment: one of them comes into maintenance, and the other waits for it.
func TestOneProfileOfANodeIsInMaintenance(t *testing.T) {
	p := newPool(t, 4)
	ledger := p.countLedger(t, p.onOneNode)
	profiles := []string{p.profile(t, "a", cycle), p.profile(t, "b", cycle)}
	for _, node := range p.Nodes {
		p.label(t, node, "needed=yes", "allowed=yes")
	}
	for _, node := range p.Nodes {
		p.oneInMaintenance(t, profiles, node)
		p.label(t, node, "needed-")
	}
	for _, node := range p.Nodes {
		for _, profile := range profiles {
			p.is(t, profile, node, v1beta1.ProfileOperational)
		}
	}
	p.WaitUntilClean(t)
	ledger.wantMost(t, "on one node", 1)
}

// oneInMaintenance waits until one of two profiles is in maintenance on the node, and the other one says that it waits.
func (p *pool) oneInMaintenance(t *testing.T, profiles []string, node string) {
	t.Helper()
	first := p.wait(t, profiles[0], node, "the first has the node, or waits", func(s *v1beta1.NodeProfileStatus) bool {
		return s.State == v1beta1.ProfileInMaintenance || s.State == v1beta1.ProfileMaintenanceRequired && strings.Contains(s.WaitingFor, waitsFor(profiles[1]))
	})
	in, waits := profiles[0], profiles[1]
	if first.Status.State != v1beta1.ProfileInMaintenance {
		in, waits = waits, in
	}
	p.wait(t, in, node, "one has the node", func(s *v1beta1.NodeProfileStatus) bool { return s.State == v1beta1.ProfileInMaintenance })
	p.waits(t, waits, node, v1beta1.ProfileMaintenanceRequired, waitsFor(in))
}

func waitsFor(other string) string {
	return fmt.Sprintf("profile %s is in maintenance on this node", other)
}

// Of many nodes that may go at once, each has its turn, and never more are in maintenance than may be.
func TestManyNodesNeverExceedTheLimit(t *testing.T) {
	const limit = 3
	p := newPool(t, 12)
	p.WantMostCordoned(t, limit)
	ledger := p.countLedger(t, p.inMaintenance)
	for _, node := range p.Nodes {
		p.label(t, node, "needed=yes")
	}
	profile := p.profile(t, "few", `
checks:
- {name: needed, nodeLabel: {key: needed}}
- {name: few, maxInMaintenance: {max: 3, profile: POOL-few}}
- {name: allowed, nodeLabel: {key: allowed}}
triggers:
- {name: settle, patchNode: {removeLabels: [needed]}}
states:
  operational:
    transitions: [{name: required, check: needed, next: MaintenanceRequired}]
  maintenanceRequired:
    transitions: [{name: start, check: few, next: InMaintenance}]
  inMaintenance:
    hold: {stage: Cordon}
    transitions: [{name: done, check: allowed, triggers: [settle], next: Operational}]
`)
	p.WaitForCordoned(t, limit)
	for _, node := range p.Nodes {
		p.label(t, node, "allowed=yes")
	}
	for _, node := range p.Nodes {
		p.wait(t, profile, node, node+" has had its turn", func(s *v1beta1.NodeProfileStatus) bool {
			return s.State == v1beta1.ProfileOperational && len(s.History) == 3
		})
	}
	p.WaitUntilClean(t)
	ledger.wantMost(t, "in maintenance", limit)
}
