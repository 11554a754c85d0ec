// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	fleet "github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// DefaultReplacementTimeout is how long a new machine may take until its node is Ready, unless a policy says otherwise.
const DefaultReplacementTimeout = 30 * time.Minute

// PoliciesOf are the policies that select the node, by name. One whose selector cannot be applied selects no node. Nil
// has none.
func PoliciesOf(node *corev1.Node, policies []*v1beta1.MaintenancePolicy) []*v1beta1.MaintenancePolicy {
	if node == nil {
		return nil
	}
	var of []*v1beta1.MaintenancePolicy
	for _, policy := range policies {
		if selects, err := fleet.Selects(policy, node); err == nil && selects {
			of = append(of, policy)
		}
	}
	slices.SortFunc(of, func(a, b *v1beta1.MaintenancePolicy) int { return cmp.Compare(a.Name, b.Name) })
	return of
}

// ActionOf is what is done for a code, given the policies of the node by name, and which of them says so: the first one
// that has an action for it. Without one it is what is usual for the code, and Ignore for a code that is not known.
func ActionOf(code string, policies []*v1beta1.MaintenancePolicy) (action v1beta1.EventAction, policy string) {
	for _, p := range policies {
		if p.Spec.Events == nil {
			continue
		}
		for _, a := range p.Spec.Events.Actions {
			if a.Code == code {
				return a.Action, p.Name
			}
		}
	}
	return v1beta1.UsualAction(code), ""
}

// StrategyOf is how the policies, by name, have machines replaced; empty: none of them says.
func StrategyOf(policies []*v1beta1.MaintenancePolicy) v1beta1.ReplacementStrategy {
	for _, p := range policies {
		if r := replacementOf(p); r.Strategy != "" {
			return r.Strategy
		}
	}
	return ""
}

// TimeoutOf is how long a new machine may take, as the policies say, by name.
func TimeoutOf(policies []*v1beta1.MaintenancePolicy) time.Duration {
	for _, p := range policies {
		if r := replacementOf(p); r.TimeoutSeconds != nil {
			return time.Duration(*r.TimeoutSeconds) * time.Second
		}
	}
	return DefaultReplacementTimeout
}

// TimeoutIn is how long the new machine of a replacement may take: as the policies said when it began, since none of them
// selects a node that is gone. What was begun by an earlier version does not say.
func TimeoutIn(r *v1beta1.MachineReplacement, policies []*v1beta1.MaintenancePolicy) time.Duration {
	if r.TimeoutSeconds != nil {
		return time.Duration(*r.TimeoutSeconds) * time.Second
	}
	return TimeoutOf(policies)
}

func replacementOf(p *v1beta1.MaintenancePolicy) v1beta1.PolicyReplacement {
	if p.Spec.Events == nil || p.Spec.Events.Replacement == nil {
		return v1beta1.PolicyReplacement{}
	}
	return *p.Spec.Events.Replacement
}

// waitsFor is the first of the policies that lets drains wait for it even at their latest start; empty: none does.
func waitsFor(policies []*v1beta1.MaintenancePolicy) string {
	for _, p := range policies {
		if p.Spec.Events != nil && p.Spec.Events.AtLatestStart == v1beta1.LatestStartWait {
			return p.Name
		}
	}
	return ""
}
