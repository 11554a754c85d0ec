// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// waiting is a source that knows the facts of a fleet.
type waiting decision.Facts

func (w waiting) Facts(context.Context) (decision.Facts, error) {
	if w.Nodes == nil {
		return decision.Facts{}, errors.New("the nodes are not known yet")
	}
	return decision.Facts(w), nil
}

// What waits for a policy alone starts when the policy is gone, or no longer selects its node.
func TestFreed(t *testing.T) {
	paused := func(name, zone string) *v1beta1.MaintenancePolicy {
		policy := policyWith(v1beta1.MaintenancePolicySpec{Paused: true})
		policy.Name, policy.UID = name, types.UID(name)
		if zone != "" {
			policy.Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"zone": zone}}
		}
		return policy
	}
	tests := map[string]struct {
		// too are policies that are deleted together with it.
		too     []*v1beta1.MaintenancePolicy
		after   *v1beta1.MaintenancePolicy
		others  []*v1beta1.MaintenancePolicy
		unknown bool
		want    []string
	}{
		"deleted": {want: []string{`4 NodeMaintenances wait for policy "all" alone, and start now: to prevent that, delete them first`}},
		"deleted, and another keeps some": {
			others: []*v1beta1.MaintenancePolicy{paused("a", "a")},
			want:   []string{`1 NodeMaintenance waits for policy "all" alone, and starts now: to prevent that, delete it first`},
		},
		"deleted together with another": {
			too:  []*v1beta1.MaintenancePolicy{paused("too", "a"), paused("unrelated", "z")},
			want: []string{`4 NodeMaintenances wait for policies "all", "too" alone, and start now: to prevent that, delete them first`},
		},
		"deleted, and another keeps all": {others: []*v1beta1.MaintenancePolicy{paused("too", "")}},
		"another selector": {
			after: paused("all", "a"),
			want:  []string{`1 NodeMaintenance waits for policy "all" alone, and starts now: to prevent that, delete it first`},
		},
		"the same nodes, and started on purpose": {after: policyWith(v1beta1.MaintenancePolicySpec{})},
		"not known":                              {unknown: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			facts := waiting{Now: now, Nodes: fourNodes(), Policies: test.others}
			for _, node := range facts.Nodes {
				facts.Holds = append(facts.Holds, &v1beta1.NodeMaintenance{
					ObjectMeta: metav1.ObjectMeta{Name: node.Name, UID: types.UID(node.Name), CreationTimestamp: metav1.NewTime(now)},
					Spec:       v1beta1.NodeMaintenanceSpec{NodeName: node.Name, Stage: v1beta1.StageDrain},
				})
			}
			if test.unknown {
				facts.Nodes = nil
			}
			before, after := slices.Concat(test.too, []*v1beta1.MaintenancePolicy{paused("all", "")}), []*v1beta1.MaintenancePolicy(nil)
			if test.after != nil {
				after = append(after, test.after)
			}
			if diff := cmp.Diff(test.want, newPreviewer(facts, false).Freed(t.Context(), before, after)); diff != "" {
				t.Errorf("warnings differ (-want +got):\n%s", diff)
			}
		})
	}
}
