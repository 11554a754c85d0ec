// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// The plan says how many pods the planned drain alone leaves on the node, whatever other holds evict.
func TestPlanCountsWhatItsOwnDrainSkips(t *testing.T) {
	tests := map[string]struct {
		hold        drainertest.Hold
		wantSkipped int32
	}{
		"all pods":            {hold: drainertest.Hold{}, wantSkipped: 0},
		"one app":             {hold: drainertest.Hold{SelectApp: "db"}, wantSkipped: 2},
		"a typo":              {hold: drainertest.Hold{SelectApp: "bd"}, wantSkipped: 3},
		"a rule that skips":   {hold: drainertest.Hold{Rules: []v1beta1.DrainRule{drainertest.AppRule("db", v1beta1.ActionSkip, 0)}}, wantSkipped: 1},
		"a hold that cordons": {hold: drainertest.Hold{Stage: v1beta1.StageCordon}, wantSkipped: 3},
		"one that is there":   {hold: drainertest.Hold{Name: "whole", SelectApp: "bd"}, wantSkipped: 3},
	}
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "db", App: "db"}.Object(),
		drainertest.Pod{Name: "web-1", App: "web"}.Object(), drainertest.Pod{Name: "web-2", App: "web"}.Object(),
		drainertest.Pod{Name: "agent", Mirror: true}.Object(),
	), func(c *cluster) {
		c.create(drainertest.Hold{Name: "whole"}.Object())
		for name, test := range tests {
			if test.hold.Name == "" {
				test.hold.Name = "planned"
			}
			plan, err := c.drainer.Plan(context.Background(), test.hold.Object(), true)
			if err != nil {
				t.Fatal(err)
			}
			if plan.DrainablePods != 3 || plan.SkippedPods != test.wantSkipped {
				t.Errorf("%s: skips %d of %d pods, want %d of 3", name, plan.SkippedPods, plan.DrainablePods, test.wantSkipped)
			}
		}
	})
}
