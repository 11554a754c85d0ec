// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

import (
	"testing"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

func TestStateOf(t *testing.T) {
	task := types.ManagedObjectReference{Type: "Task", Value: "1"}
	alarm := types.ManagedObjectReference{Type: "Alarm", Value: "1"}
	in := mo.HostSystem{}
	in.Runtime.InMaintenanceMode = true
	entering := mo.HostSystem{}
	entering.RecentTask = []types.ManagedObjectReference{task}
	alarmed := in
	alarmed.TriggeredAlarmState = []types.AlarmState{{Alarm: alarm}}
	tests := map[string]struct {
		host               mo.HostSystem
		entering, alarming references
		want               state
	}{
		"nothing":                      {want: "false"},
		"in maintenance":               {host: in, want: "true"},
		"enters it":                    {host: entering, entering: references{task: true}, want: "true"},
		"another task":                 {host: entering, entering: references{}, want: "false"},
		"an alarm that counts":         {host: alarmed, alarming: references{alarm: true}, want: "alarm"},
		"an alarm that does not count": {host: alarmed, alarming: references{alarm: false}, want: "true"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := stateOf(&test.host, test.entering, test.alarming); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
