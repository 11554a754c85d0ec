// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The first policy finds nodes in maintenance: they are entered beyond its limit, and since when they are held.
func TestAdopt(t *testing.T) {
	for name, test := range map[string]struct {
		do        func(f *fleet, h *v1beta1.NodeMaintenance)
		wantStage v1beta1.MaintenanceStage
	}{
		"taken": {func(*fleet, *v1beta1.NodeMaintenance) {}, v1beta1.StageDrain},
		"taken, and waited for Drain": {func(_ *fleet, h *v1beta1.NodeMaintenance) {
			h.Status.Admission = &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageCordon}
		}, v1beta1.StageCordon},
		"recorded, and not cordoned":         {func(f *fleet, _ *v1beta1.NodeMaintenance) { f.node("w-1").Spec.Taints = nil }, v1beta1.StageIdle},
		"cordoned for another hold":          {func(_ *fleet, h *v1beta1.NodeMaintenance) { h.Status.NodeBefore = nil }, v1beta1.StageIdle},
		"taken of a former node":             {func(_ *fleet, h *v1beta1.NodeMaintenance) { h.Status.NodeUID = "former" }, v1beta1.StageIdle},
		"taken, and raised before its drain": {func(_ *fleet, h *v1beta1.NodeMaintenance) { h.Status.StartTime = nil }, v1beta1.StageCordon},
		"recorded, and the node is another hold's": {func(f *fleet, h *v1beta1.NodeMaintenance) {
			f.unnamed = map[types.UID]bool{h.UID: true}
		}, v1beta1.StageIdle},
		"imported": {func(f *fleet, h *v1beta1.NodeMaintenance) {
			f.imported(h)
			h.Status.NodeUID, h.Status.NodeBefore = "", nil
		}, v1beta1.StageDrain},
		"imported, and recorded": {func(f *fleet, h *v1beta1.NodeMaintenance) {
			f.imported(h)
			h.Status.ObservedGeneration = 1
		}, v1beta1.StageDrain},
		"imported, and given back": {func(f *fleet, h *v1beta1.NodeMaintenance) {
			f.imported(h)
			h.Status.ObservedGeneration, h.Status.NodeBefore = 1, nil
		}, v1beta1.StageIdle},
		"given back just now": {func(f *fleet, _ *v1beta1.NodeMaintenance) { f.Released["w-1"] = true }, v1beta1.StageIdle},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet("aa")
			h := f.hold("h", "w-1")
			f.take(h)
			h.Status.StartTime = ptr.To(metav1.NewTime(start.Add(-time.Hour)))
			test.do(f, h)
			spec := f.policy("all")
			spec.Limits.MaxConcurrent, spec.Paused = limit("0"), true
			o := f.decide()
			if got := o.Holds["h"].Stage; got != test.wantStage {
				t.Errorf("stage %s, want %s", got, test.wantStage)
			}
			if test.wantStage != v1beta1.StageIdle && h.Status.StartTime != nil && !o.Ledger.Entries[0].AdmittedTime.Time.Equal(start.Add(-time.Hour)) {
				t.Errorf("admitted at %s, want an hour ago", o.Ledger.Entries[0].AdmittedTime)
			}
			if len(o.Ledger.Starts) > 0 {
				t.Error("an adoption counts for the pace")
			}
		})
	}
}

// A hold that joins a node in maintenance is added to its entry only if the node was taken for it, whatever its creator
// says of an import, and whatever its status says.
func TestAdoptJoining(t *testing.T) {
	for name, test := range map[string]struct {
		do        func(f *fleet, h *v1beta1.NodeMaintenance)
		wantStage v1beta1.MaintenanceStage
	}{
		"taken":    {func(*fleet, *v1beta1.NodeMaintenance) {}, v1beta1.StageDrain},
		"recorded": {func(f *fleet, h *v1beta1.NodeMaintenance) { f.unnamed = map[types.UID]bool{h.UID: true} }, v1beta1.StageIdle},
		"imported": {func(f *fleet, h *v1beta1.NodeMaintenance) {
			f.OutBefore = map[types.UID]bool{h.UID: true}
			h.Status.NodeUID, h.Status.NodeBefore = "", nil
		}, v1beta1.StageIdle},
		"imported, and recorded": {func(f *fleet, h *v1beta1.NodeMaintenance) {
			f.OutBefore, f.unnamed = map[types.UID]bool{h.UID: true}, map[types.UID]bool{h.UID: true}
		}, v1beta1.StageIdle},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet("a")
			f.policy("all")
			first := f.hold("first", "w-1")
			f.store(f.decide())
			f.take(first)
			f.Policies[0].Spec.Approvals = &v1beta1.PolicyApprovals{Count: 1}
			joins := f.hold("joins", "w-1")
			f.take(joins)
			joins.Status.StartTime = ptr.To(metav1.NewTime(start))
			test.do(f, joins)
			if got := f.decide().Holds["joins"].Stage; got != test.wantStage {
				t.Errorf("stage %s, want %s", got, test.wantStage)
			}
		})
	}
}

// imported has another operator have taken the node of the hold out of service, and the hold be imported from it.
func (f *fleet) imported(h *v1beta1.NodeMaintenance) {
	f.node(h.Spec.NodeName).Spec.Taints = nil
	f.OutBefore = map[types.UID]bool{h.UID: true}
}

// Without policies nothing is recorded, and only notBefore has a hold wait.
func TestWithoutPolicies(t *testing.T) {
	f := newFleet("aaa")
	f.holds("w-1", "w-2", "w-3")
	f.Holds[1].Spec.NotBefore = ptr.To(metav1.NewTime(start.Add(time.Hour)))
	f.Holds[2].Spec.NotBefore = ptr.To(metav1.NewTime(start.Add(-time.Hour)))
	o := f.decide()
	if len(o.Ledger.Entries)+len(o.Ledger.Starts)+len(o.Planned) > 0 {
		t.Errorf("recorded %+v, planned %v", o.Ledger, o.Planned)
	}
	if _, told := o.Holds["h-w-1"]; told {
		t.Error("something is said of a hold that nothing concerns")
	}
	if got, want := waitsOf(o, "h-w-2"), "not before 2026-11-21T13:00:00Z"; got != want || !o.Again.Equal(start.Add(time.Hour)) {
		t.Errorf("got %q, again %s; want %q", got, o.Again, want)
	}
	if got := o.Holds["h-w-2"].Earliest; !got.Equal(start.Add(time.Hour)) {
		t.Errorf("earliest %s, want in an hour", got)
	}
	if got, want := o.Holds["h-w-3"].AdmittedTime, f.Holds[2].CreationTimestamp.Time; !got.Equal(want) {
		t.Errorf("admitted at %s, want when it was created, %s", got, want)
	}
	f.pass(time.Hour)
	if got := f.decide().Holds["h-w-2"].AdmittedTime; !got.Equal(f.Now) {
		t.Errorf("admitted at %s, want at its notBefore", got)
	}
}
