// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// Freed warns of maintenance that waits for a policy, and starts since the policy no longer selects its node. after is
// the policy as it is to be; nil: there is none any more. It says nothing while the facts are not known.
func (p *Previewer) Freed(ctx context.Context, before, after *v1beta1.MaintenancePolicy) []string {
	facts, err := p.source.Facts(ctx)
	if err != nil {
		return nil
	}
	without := decision.Decide(withPolicy(facts, before.Name, after))
	with, left := decision.Decide(withPolicy(facts, before.Name, before)), leftNodes(facts, after)
	count := 0
	for _, hold := range facts.Holds {
		if left.Has(hold.Spec.NodeName) && len(with.Holds[hold.UID].Waits) > 0 && len(without.Holds[hold.UID].Waits) == 0 {
			count++
		}
	}
	return freedWarning(before.Name, count)
}

// withPolicy are the facts with that policy instead of the one of its name; nil: without it.
func withPolicy(facts decision.Facts, name string, policy *v1beta1.MaintenancePolicy) decision.Facts {
	facts.Policies = slices.DeleteFunc(slices.Clone(facts.Policies), func(p *v1beta1.MaintenancePolicy) bool { return p.Name == name })
	if policy != nil {
		facts.Policies = append(facts.Policies, policy)
	}
	return facts
}

// leftNodes are the names of the nodes that the policy does not select.
func leftNodes(facts decision.Facts, policy *v1beta1.MaintenancePolicy) sets.Set[string] {
	left := sets.New[string]()
	for _, node := range facts.Nodes {
		if policy != nil {
			if selects, err := decision.Selects(policy, node); err != nil || selects {
				continue
			}
		}
		left.Insert(node.Name)
	}
	return left
}

func freedWarning(policy string, count int) []string {
	switch count {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("1 NodeMaintenance waits for policy %q alone, and starts now: to prevent that, delete it first", policy)}
	default:
		return []string{fmt.Sprintf("%d NodeMaintenances wait for policy %q alone, and start now: to prevent that, delete them first",
			count, policy)}
	}
}
