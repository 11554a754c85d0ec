// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// A second hold of a node in maintenance needs no room, but time like all others. So does a later stage.
func TestSecondHoldAndLaterStageInAFreeze(t *testing.T) {
	p := newPool(t, 1)
	policy := p.Policy(t, "limit", env.AtMost("1"))
	first := p.cordon(t, p.Nodes[0])
	p.admitted(t, first)
	joins := p.Hold("joins", p.Nodes[0])
	joins.Spec.Stage = v1beta1.StageCordon
	p.admitted(t, p.Create(t, joins).Name)
	p.status(t, policy, "the node counts once", func(s v1beta1.MaintenancePolicyStatus) bool { return s.InMaintenance == 1 && s.Waiting == 0 })

	p.change(t, policy, `{"spec":{"schedule":{"freezes":[{"name":"century","dates":{"from":"2000-01-01","until":"2099-12-31"}}]}}}`)
	p.patch(t, first, `{"spec":{"stage":"Drain"}}`)
	nm := p.WaitForHold(t, first, "the drain waits", env.WaitsFor(v1beta1.AdmissionFrozen))
	if nm.Status.Admission.Stage != v1beta1.StageCordon || !env.Cordoned(p.Node(t, p.Nodes[0])) {
		t.Errorf("stage %s, want the node to stay cordoned", nm.Status.Admission.Stage)
	}
	late := p.Hold("late", p.Nodes[0])
	p.WaitForHold(t, p.Create(t, late).Name, "a hold that joins waits, too", env.WaitsFor(v1beta1.AdmissionFrozen))
	p.change(t, policy, `{"spec":{"schedule":null}}`)
	p.WaitForHold(t, first, "it is drained after the freeze", env.Drained)
}

// To go back and forth between stages does not start a node again and again.
func TestStagesDoNotCheatThePace(t *testing.T) {
	p := newPool(t, 2)
	p.Policy(t, "pace", v1beta1.MaintenancePolicySpec{Pace: &v1beta1.PolicyPace{MaxStarts: ptr.To[int32](1), PerSeconds: ptr.To[int64](604800)}})
	first := p.cordon(t, p.Nodes[0])
	p.admitted(t, first)
	p.patch(t, first, `{"spec":{"stage":"Idle"}}`)
	p.WaitUntilCleanNode(t, p.Nodes[0])
	second := p.cordon(t, p.Nodes[1])
	p.waiting(t, second, v1beta1.AdmissionPaceLimited)
	p.patch(t, first, `{"spec":{"stage":"Cordon"}}`)
	p.waiting(t, first, v1beta1.AdmissionPaceLimited)
}

// A bypass passes the limit, and counts: others wait for it.
func TestBypassCounts(t *testing.T) {
	p := newPool(t, 3)
	policy := p.Policy(t, "limit", env.AtMost("1"))
	p.admitted(t, p.cordon(t, p.Nodes[0]))
	second := p.cordon(t, p.Nodes[1])
	p.waiting(t, second, v1beta1.AdmissionQueued)
	p.patch(t, second, `{"spec":{"bypassPolicies":true}}`)
	p.admitted(t, second)
	p.status(t, policy, "2 of 1", func(s v1beta1.MaintenancePolicyStatus) bool { return s.InMaintenance == 2 })
	p.Delete(t, p.Nodes[0])
	third := p.cordon(t, p.Nodes[2])
	p.waiting(t, third, v1beta1.AdmissionQueued)
}

// A hold that was asked for through its node waits like all others.
func TestHoldThroughItsNodeWaits(t *testing.T) {
	p := newPool(t, 1)
	policy := p.Policy(t, "freeze", frozen())
	spec := v1beta1.NodeMaintenance{Spec: v1beta1.NodeMaintenanceSpec{Stage: v1beta1.StageCordon, Reason: "test"}}
	created, err := p.Maintenance.MaintenanceV1beta1().NodeStates().CreateMaintenance(t.Context(), p.Nodes[0], &spec, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.waiting(t, created.Name, v1beta1.AdmissionFrozen)
	p.change(t, policy, `{"spec":{"schedule":null}}`)
	p.admitted(t, created.Name)
}
