// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// Freed warns of maintenance that waits for policies, and starts since they no longer select its node. before are the
// policies that change together, and after are those of them that are still there, as they are to be. It says nothing while
// the facts are not known.
func (p *Previewer) Freed(ctx context.Context, before, after []*v1beta1.MaintenancePolicy) []string {
	facts, err := p.source.Facts(ctx)
	if err != nil {
		return nil
	}
	without := decision.Decide(withPolicies(facts, before, after))
	with, left := decision.Decide(withPolicies(facts, before, before)), leftNodes(facts, after)
	count, waitedFor := 0, sets.New[string]()
	for _, hold := range facts.Holds {
		waits := with.Holds[hold.UID].Waits
		if left.Has(hold.Spec.NodeName) && len(waits) > 0 && len(without.Holds[hold.UID].Waits) == 0 {
			count++
			for _, wait := range waits {
				waitedFor.Insert(wait.Policy)
			}
		}
	}
	return freedWarning(sets.List(waitedFor), count)
}

// withPolicies are the facts with some policies instead of others.
func withPolicies(facts decision.Facts, instead, policies []*v1beta1.MaintenancePolicy) decision.Facts {
	others := slices.DeleteFunc(slices.Clone(facts.Policies), func(p *v1beta1.MaintenancePolicy) bool {
		return slices.ContainsFunc(instead, func(i *v1beta1.MaintenancePolicy) bool { return i.Name == p.Name })
	})
	facts.Policies = slices.Concat(others, policies)
	return facts
}

// leftNodes are the names of the nodes that none of the policies selects.
func leftNodes(facts decision.Facts, policies []*v1beta1.MaintenancePolicy) sets.Set[string] {
	left := sets.New[string]()
	for _, node := range facts.Nodes {
		if !slices.ContainsFunc(policies, func(policy *v1beta1.MaintenancePolicy) bool {
			selects, err := decision.Selects(policy, node)
			return err != nil || selects
		}) {
			left.Insert(node.Name)
		}
	}
	return left
}

// freedWarning warns of that many NodeMaintenances, which wait for the policies of these names.
func freedWarning(policies []string, count int) []string {
	quoted := make([]string, 0, len(policies))
	for _, name := range policies {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	of := "policy " + strings.Join(quoted, "")
	if len(quoted) > 1 {
		of = "policies " + strings.Join(quoted, ", ")
	}
	switch count {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("1 NodeMaintenance waits for %s alone, and starts now: to prevent that, delete it first", of)}
	default:
		return []string{fmt.Sprintf("%d NodeMaintenances wait for %s alone, and start now: to prevent that, delete them first", count, of)}
	}
}
