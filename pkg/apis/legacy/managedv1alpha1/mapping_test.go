// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package managedv1alpha1_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

const (
	uid      types.UID = "d9607e19-f88f-11e6-a518-0123456789ab"
	otherUID types.UID = "d9607e19-f88f-11e6-a518-fedcba987654"
)

var ended = metav1.NewTime(time.Unix(1_800_000_000, 0))

// event is stored for object.
func event() *maintenance.ScheduledEvent {
	return &maintenance.ScheduledEvent{
		ObjectMeta: metav1.ObjectMeta{Name: "mm.ops.mm-worker-1", UID: uid, ResourceVersion: "7", Labels: map[string]string{"a": "b"}},
		Spec: maintenance.ScheduledEventSpec{
			Source: "openshift", Code: "instance-stop", EventID: "instance-event-1", InstanceID: "i-1",
			MachineRef: &maintenance.MachineReference{APIGroup: "machine.openshift.io", Namespace: "openshift-machine-api", Name: "worker-1-abcde"},
			State:      maintenance.EventScheduled,
		},
	}
}

func object() *managedv1alpha1.MachineMaintenance {
	return &managedv1alpha1.MachineMaintenance{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ops", Name: "mm-worker-1", UID: otherUID, ResourceVersion: "7", Labels: map[string]string{"a": "b"},
		},
		Spec: managedv1alpha1.MachineMaintenanceSpec{
			EventCode: "instance-stop", EventID: "instance-event-1", MachineID: "i-1", MachineLink: "worker-1-abcde",
		},
	}
}

func TestFromEvent(t *testing.T) {
	done := func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.MaintenanceScheduled = true }
	replacing := func(step maintenance.ReplacementStep) func(*maintenance.ScheduledEvent) {
		return func(event *maintenance.ScheduledEvent) {
			event.Status.Replacement = &maintenance.MachineReplacement{Step: step}
		}
	}
	same := func(*managedv1alpha1.MachineMaintenance) {}
	for name, test := range map[string]struct {
		stored func(*maintenance.ScheduledEvent)
		// want is nil if the event is not shown.
		want func(*managedv1alpha1.MachineMaintenance)
	}{
		"scheduled": {stored: func(*maintenance.ScheduledEvent) {}, want: same},
		"without a machine": {
			stored: func(event *maintenance.ScheduledEvent) { event.Spec.MachineRef = nil },
			want:   func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.MachineLink = "" },
		},
		"completed":          {stored: func(event *maintenance.ScheduledEvent) { event.Spec.State = maintenance.EventCompleted }, want: done},
		"canceled":           {stored: func(event *maintenance.ScheduledEvent) { event.Spec.State = maintenance.EventCanceled }, want: same},
		"ended":              {stored: func(event *maintenance.ScheduledEvent) { event.Status.EndTime = &ended }, want: done},
		"drained":            {stored: func(event *maintenance.ScheduledEvent) { event.Status.Phase = maintenance.EventPhaseDrained }, want: same},
		"a new machine":      {stored: replacing(maintenance.StepAwaitNewNode), want: same},
		"about to delete":    {stored: replacing(maintenance.StepDelete), want: same},
		"the delete is sent": {stored: replacing(maintenance.StepAwaitGone), want: done},
		"awaits a machine":   {stored: replacing(maintenance.StepAwaitReplaced), want: done},
		"replaced":           {stored: replacing(maintenance.StepReplaced), want: done},
		"given up":           {stored: replacing(maintenance.StepGivenUp), want: same},
		"another source":     {stored: func(event *maintenance.ScheduledEvent) { event.Spec.Source = "manual" }},
		"another name":       {stored: func(event *maintenance.ScheduledEvent) { event.Name = "mm-worker-1" }},
	} {
		t.Run(name, func(t *testing.T) {
			stored := event()
			test.stored(stored)
			before := stored.DeepCopy()
			got, is := managedv1alpha1.FromEvent(stored)
			if is != (test.want != nil) {
				t.Fatalf("it is a MachineMaintenance: %t, want %t", is, test.want != nil)
			}
			if is {
				want := object()
				test.want(want)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("object differs (-want +got):\n%s", diff)
				}
				got.Labels["changed"] = ""
			}
			if diff := cmp.Diff(before, stored); diff != "" {
				t.Errorf("the stored event was changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestNewEvent(t *testing.T) {
	for name, test := range map[string]struct {
		write func(*managedv1alpha1.MachineMaintenance)
		want  func(*maintenance.ScheduledEvent)
	}{
		"as it is":     {write: func(*managedv1alpha1.MachineMaintenance) {}, want: func(*maintenance.ScheduledEvent) {}},
		"without code": {write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.EventCode = "" }, want: func(event *maintenance.ScheduledEvent) { event.Spec.Code = "instance-retirement" }},
		"done":         {write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.MaintenanceScheduled = true }, want: func(event *maintenance.ScheduledEvent) { event.Spec.State = maintenance.EventCompleted }},
	} {
		t.Run(name, func(t *testing.T) {
			mm, want := object(), event()
			test.write(mm)
			test.want(want)
			if diff := cmp.Diff(want, managedv1alpha1.NewEvent(mm)); diff != "" {
				t.Errorf("event differs (-want +got):\n%s", diff)
			}
		})
	}
}

// What a MachineMaintenance cannot say stays as stored.
func TestChanged(t *testing.T) {
	stored := event()
	stored.Spec.NodeName, stored.Spec.Description, stored.Spec.NotBefore = "worker-1", "disk", &ended
	stored.Status = maintenance.ScheduledEventStatus{Phase: maintenance.EventPhaseDraining, NodeName: "worker-1"}
	for name, test := range map[string]struct {
		write func(*managedv1alpha1.MachineMaintenance)
		want  func(*maintenance.ScheduledEvent)
	}{
		"nothing": {write: func(*managedv1alpha1.MachineMaintenance) {}, want: func(*maintenance.ScheduledEvent) {}},
		"no code": {write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.EventCode = "" }, want: func(*maintenance.ScheduledEvent) {}},
		"a label": {
			write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Labels = map[string]string{"c": "d"} },
			want:  func(event *maintenance.ScheduledEvent) { event.Labels = map[string]string{"c": "d"} },
		},
		"done": {
			write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.MaintenanceScheduled = true },
			want:  func(event *maintenance.ScheduledEvent) { event.Spec.State = maintenance.EventCompleted },
		},
	} {
		t.Run(name, func(t *testing.T) {
			written, _ := managedv1alpha1.FromEvent(stored)
			want := stored.DeepCopy()
			test.write(written)
			test.want(want)
			if diff := cmp.Diff(want, managedv1alpha1.Changed(stored, written)); diff != "" {
				t.Errorf("event differs (-want +got):\n%s", diff)
			}
		})
	}
}

// A client that writes back what it has read completes no event, although it reads that it is done.
func TestDoneIsNotWrittenBack(t *testing.T) {
	stored := event()
	stored.Status.Replacement = &maintenance.MachineReplacement{Step: maintenance.StepAwaitGone}
	written, _ := managedv1alpha1.FromEvent(stored)
	if got := managedv1alpha1.Changed(stored, written).Spec.State; got != maintenance.EventScheduled {
		t.Errorf("got state %s", got)
	}
}
