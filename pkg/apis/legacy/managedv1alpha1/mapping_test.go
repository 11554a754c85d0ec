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
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	uid      types.UID = "d9607e19-f88f-11e6-a518-0123456789ab"
	otherUID types.UID = "d9607e19-f88f-11e6-a518-fedcba987654"
)

var ended = metav1.NewTime(time.Unix(1_800_000_000, 0))

// event is stored for object.
func event() *v1beta1.ScheduledEvent {
	return &v1beta1.ScheduledEvent{
		ObjectMeta: metav1.ObjectMeta{Name: "mm.ops.mm-worker-1", UID: uid, ResourceVersion: "7", Labels: map[string]string{"a": "b"}},
		Spec: v1beta1.ScheduledEventSpec{
			Source: "openshift", Code: "instance-stop", EventID: "instance-event-1", InstanceID: "i-1",
			MachineRef: &v1beta1.MachineReference{APIGroup: "machine.openshift.io", Namespace: "openshift-machine-api", Name: "worker-1-abcde"},
			State:      v1beta1.EventScheduled,
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
	replacing := func(step v1beta1.ReplacementStep) func(*v1beta1.ScheduledEvent) {
		return func(event *v1beta1.ScheduledEvent) {
			event.Status.Replacement = &v1beta1.MachineReplacement{Step: step}
		}
	}
	same := func(*managedv1alpha1.MachineMaintenance) {}
	for name, test := range map[string]struct {
		stored func(*v1beta1.ScheduledEvent)
		// want is nil if the event is not shown.
		want func(*managedv1alpha1.MachineMaintenance)
	}{
		"scheduled": {stored: func(*v1beta1.ScheduledEvent) {}, want: same},
		"without a machine": {
			stored: func(event *v1beta1.ScheduledEvent) { event.Spec.MachineRef = nil },
			want:   func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.MachineLink = "" },
		},
		"completed":          {stored: func(event *v1beta1.ScheduledEvent) { event.Spec.State = v1beta1.EventCompleted }, want: done},
		"canceled":           {stored: func(event *v1beta1.ScheduledEvent) { event.Spec.State = v1beta1.EventCanceled }, want: same},
		"ended":              {stored: func(event *v1beta1.ScheduledEvent) { event.Status.EndTime = &ended }, want: done},
		"drained":            {stored: func(event *v1beta1.ScheduledEvent) { event.Status.Phase = v1beta1.EventPhaseDrained }, want: same},
		"a new machine":      {stored: replacing(v1beta1.StepAwaitNewNode), want: same},
		"about to delete":    {stored: replacing(v1beta1.StepDelete), want: same},
		"the delete is sent": {stored: replacing(v1beta1.StepAwaitGone), want: done},
		"awaits a machine":   {stored: replacing(v1beta1.StepAwaitReplaced), want: done},
		"replaced":           {stored: replacing(v1beta1.StepReplaced), want: done},
		"given up":           {stored: replacing(v1beta1.StepGivenUp), want: same},
		"another source":     {stored: func(event *v1beta1.ScheduledEvent) { event.Spec.Source = "manual" }},
		"another name":       {stored: func(event *v1beta1.ScheduledEvent) { event.Name = "mm-worker-1" }},
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
		want  func(*v1beta1.ScheduledEvent)
	}{
		"as it is":     {write: func(*managedv1alpha1.MachineMaintenance) {}, want: func(*v1beta1.ScheduledEvent) {}},
		"without code": {write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.EventCode = "" }, want: func(event *v1beta1.ScheduledEvent) { event.Spec.Code = "instance-retirement" }},
		"done":         {write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.MaintenanceScheduled = true }, want: func(event *v1beta1.ScheduledEvent) { event.Spec.State = v1beta1.EventCompleted }},
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
	stored.Status = v1beta1.ScheduledEventStatus{Phase: v1beta1.EventPhaseDraining, NodeName: "worker-1"}
	for name, test := range map[string]struct {
		write func(*managedv1alpha1.MachineMaintenance)
		want  func(*v1beta1.ScheduledEvent)
	}{
		"nothing": {write: func(*managedv1alpha1.MachineMaintenance) {}, want: func(*v1beta1.ScheduledEvent) {}},
		"no code": {write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.EventCode = "" }, want: func(*v1beta1.ScheduledEvent) {}},
		"a label": {
			write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Labels = map[string]string{"c": "d"} },
			want:  func(event *v1beta1.ScheduledEvent) { event.Labels = map[string]string{"c": "d"} },
		},
		"done": {
			write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.MaintenanceScheduled = true },
			want:  func(event *v1beta1.ScheduledEvent) { event.Spec.State = v1beta1.EventCompleted },
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
	stored.Status.Replacement = &v1beta1.MachineReplacement{Step: v1beta1.StepAwaitGone}
	written, _ := managedv1alpha1.FromEvent(stored)
	if got := managedv1alpha1.Changed(stored, written).Spec.State; got != v1beta1.EventScheduled {
		t.Errorf("got state %s", got)
	}
}
