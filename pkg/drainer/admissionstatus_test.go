// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

func TestStatusOfAHoldThatWaits(t *testing.T) {
	policed(t, func(c *cluster) {
		const message = `policy "workers": 2 of 2 nodes in maintenance (w-1, w-4)`
		earliest := metav1.NewTime(time.Now().Add(time.Hour + time.Millisecond))
		answer := queued(v1beta1.StageIdle, message)
		answer.Status.EarliestStartTime = &earliest
		c.admits("a", answer)
		c.create(drainertest.Hold{Name: "a", Created: time.Now()}.Object())
		c.wait(2 * holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhasePending)
		c.wantCondition("a", v1beta1.ConditionAdmitted, metav1.ConditionFalse, string(v1beta1.AdmissionQueued))
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonNotAdmitted)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonNotAdmitted)
		status := c.hold("a").Status
		if got := holdstatus.ConditionMessage(status, v1beta1.ConditionCordoned); !strings.Contains(got, "see the condition Admitted") {
			t.Errorf("Cordoned says %q, want it to say where to look", got)
		}
		if got := holdstatus.ConditionMessage(status, v1beta1.ConditionAdmitted); got != message {
			t.Errorf("Admitted says %q, want %q", got, message)
		}
		want := answer.Status.DeepCopy()
		want.EarliestStartTime = holdstatus.InSeconds(&earliest)
		if diff := cmp.Diff(want, status.Admission); diff != "" {
			t.Errorf("status.admission (-want +got):\n%s", diff)
		}
		c.wait(time.Hour)
		if writes := c.StatusWrites("a"); len(writes) != 1 {
			t.Errorf("the status was written %d times, want once: %v", len(writes), writes)
		}
	})
}

// Without policies nothing is said of them.
func TestStatusWithoutPolicies(t *testing.T) {
	tests := map[string]func(c *cluster){
		"nobody asks":  func(c *cluster) { c.stop(); c.config.Admission = nil; c.start() },
		"none selects": func(*cluster) {},
	}
	for name, begin := range tests {
		t.Run(name, func(t *testing.T) {
			policed(t, func(c *cluster) {
				begin(c)
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.wait(holdstatus.WriteInterval)
				status := c.hold("a").Status
				if status.Admission != nil || apimeta.FindStatusCondition(status.Conditions, v1beta1.ConditionAdmitted) != nil {
					t.Errorf("got %+v, want nothing of an admission", status)
				}
			})
		})
	}
}

// Numbers change with each start of another node: they are written once a minute at most. Reasons are not held back.
func TestNumbersAreWrittenOnceAMinute(t *testing.T) {
	policed(t, func(c *cluster) {
		c.admits("a", queued(v1beta1.StageIdle, "0 starts"))
		c.create(drainertest.Hold{Name: "a", Created: time.Now()}.Object())
		c.wait(2 * holdstatus.WriteInterval)
		for i := range 100 {
			c.wait(time.Second)
			c.admits("a", queued(v1beta1.StageIdle, strings.Repeat("I", i+1)+" starts"))
		}
		if writes := c.StatusWrites("a"); len(writes) < 3 || len(writes) > 4 {
			t.Errorf("the status was written %d times in 150 s, want 3 or 4", len(writes))
		}
		c.wait(holdstatus.SlowInterval)
		if got := c.hold("a").Status.Admission.WaitingFor[0].Message; len(got) != len("100 starts")+97 {
			t.Errorf("it waits for %q, want the last answer", got)
		}
		closed := queued(v1beta1.StageIdle, "closed")
		closed.Reason, closed.Status.WaitingFor[0].Reason = v1beta1.AdmissionWindowClosed, v1beta1.AdmissionWindowClosed
		c.admits("a", closed)
		c.wantCondition("a", v1beta1.ConditionAdmitted, metav1.ConditionFalse, string(v1beta1.AdmissionWindowClosed))
	})
}

// A process that begins to lead does not rewrite a whole queue at once.
func TestNumbersAfterARestart(t *testing.T) {
	policed(t, func(c *cluster) {
		c.admits("a", queued(v1beta1.StageIdle, "before"))
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(2 * holdstatus.WriteInterval)
		next := c.admission.begins(false)
		next.answers["a"] = queued(v1beta1.StageIdle, "after")
		c.leadAnew(next)
		if got := holdstatus.ConditionMessage(c.hold("a").Status, v1beta1.ConditionAdmitted); got != "before" {
			t.Errorf("it says %q at once, want it to wait", got)
		}
		c.wait(holdstatus.SlowInterval)
		if got := holdstatus.ConditionMessage(c.hold("a").Status, v1beta1.ConditionAdmitted); got != "after" {
			t.Errorf("it says %q, want what is true now", got)
		}
	})
}

// What people decide is stored beside what the drainer says. It neither changes that, nor is irritated by it.
func TestApprovalsStay(t *testing.T) {
	approvals := []v1beta1.MaintenanceDecision{{Policy: "workers", Decision: v1beta1.DecisionApproved, By: "boss"}}
	approve := func(c *cluster) {
		drainertest.Change(c.Server, c.hold("a"), func(h *v1beta1.NodeMaintenance) {
			if h.Status.Admission == nil {
				h.Status.Admission = &v1beta1.MaintenanceAdmission{}
			}
			h.Status.Admission.Approvals = approvals
		})
		c.settle()
	}
	answers := map[string]holdstatus.Admitted{
		"with a policy":    queued(v1beta1.StageIdle, "full"),
		"without a policy": {Known: true, Stage: v1beta1.StageDrain},
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			policed(t, func(c *cluster) {
				c.admits("a", answer)
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.finish("web-1", "web-2")
				c.wait(5 * holdstatus.WriteInterval)
				writes := len(c.StatusWrites("a"))
				approve(c)
				c.wait(time.Hour)
				if got := len(c.StatusWrites("a")); got != writes {
					t.Errorf("the status was written %d times since, want none", got-writes)
				}
				c.admits("a", admitted(time.Now()))
				c.wait(5 * holdstatus.WriteInterval)
				c.wantCordoned(drainertest.NodeName, true)
				if diff := cmp.Diff(approvals, c.hold("a").Status.Admission.Approvals); diff != "" {
					t.Errorf("approvals (-want +got):\n%s", diff)
				}
			})
		})
	}
}
