// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cputest"
)

// covered is a schedule as large as may be whose freezes cover its windows.
func covered() *v1beta1.PolicySchedule {
	return largest("*/12 * * * *", []string{"*/12 * * * *", "6-59/12 * * * *"}, "0 0 30 2 *")
}

// tightlyFrozen is a schedule as large as may be that never opens: each of its freezes ends, but not all of them together.
func tightlyFrozen() *v1beta1.PolicySchedule {
	return largest("* * * * *", []string{"*/10 * * * *", "5-59/10 * * * *"}, "*/10 * * * *")
}

// largest is a schedule of 16 windows and 64 freezes. The first freezes are as given, and the others are all the same.
func largest(window string, freezes []string, others string) *v1beta1.PolicySchedule {
	schedule := &v1beta1.PolicySchedule{TimeZone: "Europe/Berlin"}
	for i := range 16 {
		schedule.Windows = append(schedule.Windows, v1beta1.PolicyWindow{Name: fmt.Sprint("w", i), Cron: window, DurationSeconds: ptr.To[int64](300)})
	}
	for i := range 64 {
		cron := others
		if i < len(freezes) {
			cron = freezes[i]
		}
		schedule.Freezes = append(schedule.Freezes, v1beta1.PolicyFreeze{
			PolicyWindow: v1beta1.PolicyWindow{Name: fmt.Sprint("f", i), Cron: cron, DurationSeconds: ptr.To[int64](300)},
		})
	}
	return schedule
}

// TestLargestSchedules makes sure that nobody can keep the decider busy with a schedule that takes much work. A decision
// took minutes when it asked the calendar for each hold, and looked a year ahead whatever it took.
func TestLargestSchedules(t *testing.T) {
	for name, tc := range map[string]struct {
		schedule *v1beta1.PolicySchedule
		want     string
	}{
		"covered":        {covered(), "frozen (f0); does not open within 3 days"},
		"tightly frozen": {tightlyFrozen(), "frozen (f0); does not open within 5 days"},
	} {
		t.Run(name, func(t *testing.T) {
			f := fleetSize{nodes: 300, policies: 2, waiting: 240, schedule: tc.schedule}.fleet()
			var o Outcome
			if took := cputest.Time(t, func() { o = f.Decide() }); took > 3*time.Second {
				t.Errorf("one decision took %s of processor time, want at most a second", took)
			}
			if got := o.Policies["p-00"].Status.Conditions[0].Message; got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
