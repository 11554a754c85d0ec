// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

func approvedBy(user string) []v1beta1.MaintenanceDecision {
	return []v1beta1.MaintenanceDecision{{
		Policy: "workers", Decision: v1beta1.DecisionApproved, By: user, Time: metav1.Now(), Generation: 1, NodeUID: drainertest.UID("w-1"),
	}}
}

// What was approved changes after the ledger was written, and before the status of the hold says that it was approved.
func TestChangesBetweenLedgerAndStatus(t *testing.T) {
	tests := map[string]func(h *v1beta1.NodeMaintenance){
		"edited":    func(h *v1beta1.NodeMaintenance) { h.Generation++ },
		"withdrawn": func(h *v1beta1.NodeMaintenance) { h.Status.Admission.Approvals = nil },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.nodes(1)
				w.policy("workers", func(s *v1beta1.MaintenancePolicySpec) { s.Approvals = &v1beta1.PolicyApprovals{Count: 1} })
				r := w.start()
				r.pauseBefore("record")
				w.hold("w-1", func(h *v1beta1.NodeMaintenance) {
					h.Status.Admission = &v1beta1.MaintenanceAdmission{Approvals: approvedBy("ann")}
				})
				w.settle()
				if entries := w.ledger().Entries; len(entries) != 1 || len(entries[0].Holds) != 1 || entries[0].Holds[0].Generation != 1 {
					t.Fatalf("the ledger says %+v, want the hold and what was approved", entries)
				}
				drainertest.Change(w.Server, drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1"), change)
				w.wait(time.Minute)
				if entries := w.ledger().Entries; len(entries) != 0 {
					t.Errorf("the ledger says %+v, want nothing", entries)
				}
				r.hand.open()
				w.settle()
				w.wantCordoned()
				answer := r.admitter.Admitted(drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1"))
				if !answer.Known || answer.Stage != v1beta1.StageIdle || answer.Reason != v1beta1.AdmissionApprovalNeeded {
					t.Errorf("the answer is %+v, want it to wait for an approval", answer)
				}
			})
		})
	}
}

// An answer that people have approved is only about the hold that they have approved, until its status says so.
func TestAnswerAboutAnApprovedHold(t *testing.T) {
	tests := map[string]struct {
		change func(h *v1beta1.NodeMaintenance)
		want   bool
	}{
		"as it was":     {func(*v1beta1.NodeMaintenance) {}, true},
		"edited":        {func(h *v1beta1.NodeMaintenance) { h.Generation++ }, false},
		"withdrawn":     {func(h *v1beta1.NodeMaintenance) { h.Status.Admission = nil }, false},
		"approved anew": {func(h *v1beta1.NodeMaintenance) { h.Status.Admission.Approvals = approvedBy("bob") }, false},
		"only its cordon is stored": {func(h *v1beta1.NodeMaintenance) {
			h.Generation++
			h.Status.Admission.Approved, h.Status.Admission.Stage = true, v1beta1.StageCordon
		}, false},
		"edited after it was stored": {func(h *v1beta1.NodeMaintenance) {
			h.Generation++
			h.Status.Admission.Approved, h.Status.Admission.Stage = true, v1beta1.StageDrain
		}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			hold := drainertest.Hold{Name: "w-1"}.Object()
			hold.Generation, hold.Status.Admission = 1, &v1beta1.MaintenanceAdmission{Approvals: approvedBy("ann")}
			given := answer{generation: 1, approvals: approvals(hold)}
			given.admitted.Status = &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageDrain, Approved: true}
			test.change(hold)
			if got := given.holds(hold); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
