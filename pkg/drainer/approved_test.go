// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// No drain that people have approved starts before the status says so: until then they may change their minds.
func TestApprovalIsStoredBeforeTheDrain(t *testing.T) {
	tests := map[string]func(c *cluster){
		"of a node that it has cordoned": func(c *cluster) { c.admits("a", queued(v1beta1.StageCordon, "0 of 1 approval")) },
		"of a node that another hold has cordoned": func(c *cluster) {
			c.admits("a", queued(v1beta1.StageIdle, "0 of 1 approval"))
			c.create(drainertest.Hold{Name: "b", Stage: v1beta1.StageCordon}.Object())
		},
	}
	for name, begin := range tests {
		t.Run(name, func(t *testing.T) {
			policed(t, func(c *cluster) {
				begin(c)
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.wait(2 * writeInterval)
				c.wantCordoned(drainertest.NodeName, true)

				c.Inject(drainertest.Failing("update", "nodemaintenances", drainertest.ServerDown()))
				approved := admitted(time.Now())
				approved.Status.Approved = true
				c.admits("a", approved)
				c.wait(time.Minute)
				c.wantCordoned(drainertest.NodeName, true)
				c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})

				c.Heal()
				c.wait(time.Minute)
				c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
				if admission := c.hold("a").Status.Admission; !admission.Approves(v1beta1.StageDrain) {
					t.Errorf("status.admission says %+v, want it approved", admission)
				}
			})
		})
	}
}
