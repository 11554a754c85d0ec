// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// More replicas help only with a budget that requires a fixed number of healthy pods.
func TestAdviceForAnImpossibleBudget(t *testing.T) {
	const scale, allow = "add replicas", "let it allow at least 1"
	tests := map[string]struct {
		change func(*policyv1.PodDisruptionBudgetSpec)
		want   string
	}{
		"a number":       {change: func(s *policyv1.PodDisruptionBudgetSpec) { s.MinAvailable = ptr.To(intstr.FromInt32(2)) }, want: scale},
		"a share":        {change: func(s *policyv1.PodDisruptionBudgetSpec) { s.MinAvailable = ptr.To(intstr.FromString("100%")) }, want: allow},
		"maxUnavailable": {change: func(s *policyv1.PodDisruptionBudgetSpec) { s.MaxUnavailable = ptr.To(intstr.FromInt32(0)) }, want: allow},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			pods := drainertest.Objects([]drainertest.Pod{{Name: "p"}})
			budget := drainertest.Budget{Name: "b", Desired: 2, Healthy: 2, Expected: 2, Change: func(pdb *policyv1.PodDisruptionBudget) { test.change(&pdb.Spec) }}
			blocker := Make(Input{
				Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Now: drainertest.Epoch, Forecast: true,
				Budgets: snapshot(budget), Holds: holdsOf(drainertest.Hold{Name: "a"}),
			}).Pods[0].Blocker
			if blocker == nil || blocker.Reason != v1beta1.BlockerDisruptionBudget || !strings.Contains(blocker.Message, test.want) {
				t.Errorf("the blocker is %+v, want it to say %q", blocker, test.want)
			}
		})
	}
}
