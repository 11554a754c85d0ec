// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// No drain that had to wait starts before the status says that it may, for the hold as it is then: until then people may
// change their minds about what is drained, and whether they approve.
func TestAdmissionIsStoredBeforeTheDrain(t *testing.T) {
	tests := map[string]func(c *cluster){
		"of a node that it has cordoned": func(c *cluster) { c.admits("a", queued(v1beta1.StageCordon, "0 of 1 approval")) },
		"of a node that another hold has cordoned": func(c *cluster) {
			c.admits("a", queued(v1beta1.StageIdle, "0 of 1 approval"))
			c.create(drainertest.Hold{Name: "b", Stage: v1beta1.StageCordon}.Object())
		},
	}
	for name, begin := range tests {
		for _, approved := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, approved %t", name, approved), func(t *testing.T) {
				policed(t, func(c *cluster) {
					begin(c)
					c.create(drainertest.Hold{Name: "a"}.Object())
					c.wait(2 * holdstatus.WriteInterval)
					c.wantCordoned(drainertest.NodeName, true)

					c.Inject(drainertest.Failing("update", "nodemaintenances", drainertest.ServerDown()))
					answer := admitted(time.Now())
					answer.Status.Approved = approved
					c.admits("a", answer)
					c.wait(time.Minute)
					c.wantCordoned(drainertest.NodeName, true)
					c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})

					c.Heal()
					c.wait(time.Minute)
					c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
					if got := c.hold("a").Status.Admission; got.Stage != v1beta1.StageDrain || got.Approved != approved {
						t.Errorf("status.admission says %+v, want Drain, approved %t", got, approved)
					}
				})
			})
		}
	}
}

// A drain that waited until its policy was deleted starts with what the hold asks for then, too.
func TestDrainThatNeedNotWaitAnyMoreIsStored(t *testing.T) {
	policed(t, func(c *cluster) {
		c.admits("a", queued(v1beta1.StageCordon, "full"))
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(2 * holdstatus.WriteInterval)
		c.Inject(drainertest.Failing("update", "nodemaintenances", drainertest.ServerDown()))
		c.policy(func(f *fakeAdmission) { delete(f.answers, "a") })
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})
		c.Heal()
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
	})
}
