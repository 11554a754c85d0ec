// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package managedv1alpha1_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
)

func wantErrors(t *testing.T, errs field.ErrorList, want ...string) {
	t.Helper()
	if len(errs) != len(want) {
		t.Fatalf("got %v, want %d errors", errs, len(want))
	}
	for i, err := range errs {
		if !strings.HasPrefix(err.Error(), want[i]) {
			t.Errorf("got %q, want %q", err, want[i])
		}
	}
}

func TestValidate(t *testing.T) {
	for name, test := range map[string]struct {
		write func(*managedv1alpha1.MachineMaintenance)
		want  []string
	}{
		"good": {write: func(*managedv1alpha1.MachineMaintenance) {}},
		"no machine": {
			write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec = managedv1alpha1.MachineMaintenanceSpec{} },
			want:  []string{"spec.machineid: Required value: the id", "spec.machinelink: Required value: the name"},
		},
		"bad name": {
			write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Name = "A" },
			want:  []string{`metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain`},
		},
		"longest name": {write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Name = strings.Repeat("a", 246) }},
		"too long a name": {
			write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Name = strings.Repeat("a", 247) },
			want: []string{`metadata.name: Invalid value: "` + strings.Repeat("a", 247) +
				`": must be no more than 246 characters in namespace "ops": it is stored as ScheduledEvent mm.ops.NAME`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			mm := object()
			test.write(mm)
			wantErrors(t, managedv1alpha1.Validate(mm), test.want...)
		})
	}
}

func TestValidateUpdate(t *testing.T) {
	for name, test := range map[string]struct {
		stored, write func(*managedv1alpha1.MachineMaintenance)
		want          []string
	}{
		"nothing": {write: func(*managedv1alpha1.MachineMaintenance) {}},
		"done":    {write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.MaintenanceScheduled = true }},
		"no code": {write: func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.EventCode = "" }},
		"another machine": {
			write: func(mm *managedv1alpha1.MachineMaintenance) {
				mm.Spec = managedv1alpha1.MachineMaintenanceSpec{EventCode: "a", EventID: "b", MachineID: "c", MachineLink: "d"}
			},
			want: []string{"spec.eventcode: Invalid value", "spec.eventid: Invalid value", "spec.machineid: Invalid value", "spec.machinelink: Invalid value"},
		},
		"not done any more": {
			stored: func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.MaintenanceScheduled = true },
			write:  func(mm *managedv1alpha1.MachineMaintenance) { mm.Spec.MaintenanceScheduled = false },
			want:   []string{"spec.maintenancescheduled: Forbidden: stays true"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			old := object()
			if test.stored != nil {
				test.stored(old)
			}
			mm := old.DeepCopy()
			test.write(mm)
			wantErrors(t, managedv1alpha1.ValidateUpdate(mm, old), test.want...)
		})
	}
}
