// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Until the status of a hold says that it was approved, what was approved may change: then the hold asks anew.
func TestApprovalThatIsNotStored(t *testing.T) {
	const needed = `policy "all": 0 of 1 approval`
	for name, test := range map[string]struct {
		do        func(f *fleet)
		wantWaits string
		wantHolds int
	}{
		"nothing changes": {func(*fleet) {}, "", 1},
		"edited":          {func(f *fleet) { f.Holds[0].Generation++ }, needed + " (1 void: the spec or the node has changed since)", 0},
		"withdrawn":       {func(f *fleet) { f.Holds[0].Status.Admission.Approvals = nil }, needed, 0},
		"denied":          {func(f *fleet) { f.approve("h-w-1", "bob", v1beta1.DecisionDenied) }, `policy "all": denied by bob`, 0},
		"expired since":   {func(f *fleet) { f.pass(48 * time.Hour) }, "", 1},
		"approved by two": {func(f *fleet) { f.approve("h-w-1", "bob", v1beta1.DecisionApproved) }, "", 1},
		"edited, and approved anew": {func(f *fleet) {
			f.Holds[0].Generation++
			f.approve("h-w-1", "ann", v1beta1.DecisionApproved)
		}, "", 1},
		"edited, and no approval is needed": {func(f *fleet) {
			f.Holds[0].Generation++
			f.Policies[0].Spec.Approvals = nil
		}, "", 1},
		"edited to bypass": {func(f *fleet) {
			f.Holds[0].Generation++
			f.Holds[0].Spec.BypassPolicies = true
		}, "", 1},
		"edited after it was stored": {func(f *fleet) {
			f.store(f.decide())
			f.Holds[0].Generation++
		}, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet("a")
			f.policy("all").Approvals = &v1beta1.PolicyApprovals{Count: 1}
			f.holds("w-1")
			f.approve("h-w-1", "ann", v1beta1.DecisionApproved)
			f.decide()
			test.do(f)
			o := f.decide()
			if got := waitsOf(o, "h-w-1"); got != test.wantWaits {
				t.Errorf("it waits for %q, want %q", got, test.wantWaits)
			}
			if got := len(o.Ledger.Entries[0].Holds); got != test.wantHolds {
				t.Errorf("the ledger has %d holds, want %d: %+v", got, test.wantHolds, o.Ledger.Entries)
			}
			if diff := cmp.Diff(o.Ledger, f.decide().Ledger); diff != "" {
				t.Errorf("another decision changes the ledger (-want +got):\n%s", diff)
			}
		})
	}
}

// A hold whose drain was approved and then edited keeps the cordon that was stored.
func TestApprovedDrainThatIsNotStored(t *testing.T) {
	f := newFleet("a")
	f.policy("all").Approvals = &v1beta1.PolicyApprovals{Count: 1}
	h := f.hold("h", "w-1")
	h.Spec.Stage = v1beta1.StageCordon
	f.approve("h", "ann", v1beta1.DecisionApproved)
	f.store(f.decide())
	f.take(h)
	h.Spec.Stage, h.Generation = v1beta1.StageDrain, 2
	f.approve("h", "ann", v1beta1.DecisionApproved)
	if o := f.decide(); o.Holds["h"].Stage != v1beta1.StageDrain {
		t.Fatalf("the drain is not admitted: %+v", o.Holds["h"])
	}
	h.Status.Admission.Approvals = nil
	o := f.decide()
	if got := o.Holds["h"]; got.Stage != v1beta1.StageCordon || !got.Approved || waitsOf(o, "h") != `policy "all": 0 of 1 approval` {
		t.Errorf("got %+v, want the cordon, and a wait for an approval", got)
	}
}
