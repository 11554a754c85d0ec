// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"fmt"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// clash is what holds want of a pod that some of them evict and others block. Block protects a pod only
// from the hold that says it.
type clash struct {
	evicting, blocking []Hold
	// policy is what the first of the blocking holds says.
	policy string
}

// clash asks every hold about the i-th pod.
func (p *planner) clash(i int) *clash {
	c := &clash{}
	for _, h := range p.Holds {
		alone := p.byHold[h.UID]
		switch {
		case alone == nil:
		case removes(h.wants(alone.decisions[i])):
			c.evicting = append(c.evicting, h)
		case alone.decisions[i].kind == block:
			c.blocking, c.policy = append(c.blocking, h), cmp.Or(c.policy, policyOf(alone.decisions[i].blocker))
		}
	}
	return c
}

// policyOf is the part of spec.drain that a blocker of a hold comes from.
func policyOf(blocker *v1beta1.DrainBlocker) string {
	if blocker.Reason == v1beta1.BlockerEmptyDirPod {
		return "emptyDirPods: Block"
	}
	return "unmanagedPods: Block"
}

// message says who evicts the pod against whose Block. It names the first of each.
func (c *clash) message() string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s evicts it, although %s says %s", c.evicting[0].whose(), c.blocking[0].whose(), c.policy)
}

// report lists the holds as the API shows them.
func (c *clash) report() (evicting, blocking []v1beta1.PlannedHold) {
	if c == nil {
		return nil, nil
	}
	return planned(c.evicting), planned(c.blocking)
}

// planned lists the holds that are NodeMaintenances.
func planned(holds []Hold) []v1beta1.PlannedHold {
	var list []v1beta1.PlannedHold
	for _, h := range holds {
		if h.Name != "" {
			list = append(list, v1beta1.PlannedHold{Name: h.Name, Requestor: h.Spec.Requestor})
		}
	}
	return list
}
